package io.sluice.local;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.Mapper;

/** Tasks that write down what they find of the distributed cache, in each way there is. */
@SuppressWarnings("deprecation")
final class CacheJobs {
  static final String LINK = "sluice-cache-test.txt";
  static final String TREE = "sluice-cache-test-tree";
  static final String LATE = "sluice.test.late";
  static volatile CountDownLatch begun = new CountDownLatch(1);
  static volatile CountDownLatch mayEnd = new CountDownLatch(0);

  private CacheJobs() {}

  static Path write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  /** A zip file or a jar of such entries. */
  static Path zip(Path file, Map<String, byte[]> entries) throws IOException {
    Files.createDirectories(file.getParent());
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        out.putNextEntry(new ZipEntry(entry.getKey()));
        out.write(entry.getValue());
      }
    }
    return file;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(File file) throws IOException {
    boolean isText = file.getName().endsWith(".txt");
    return !file.exists() ? "none" : isText ? Files.readString(file.toPath()) : "there";
  }

  private static String text(org.apache.hadoop.fs.Path[] paths) throws IOException {
    if (paths == null) {
      return "null";
    }
    StringBuilder all = new StringBuilder();
    for (org.apache.hadoop.fs.Path path : paths) {
      File file = new File(path.toUri().getPath());
      all.append(path.getName()).append('=');
      all.append(file.isDirectory() ? String.join("+", sorted(file)) : text(file)).append(' ');
    }
    return all.toString();
  }

  private static String[] sorted(File directory) throws IOException {
    return Stream.of(FileUtil.list(directory)).sorted().toArray(String[]::new);
  }

  private static String names(URI[] uris) {
    StringBuilder all = new StringBuilder();
    for (URI uri : uris == null ? new URI[0] : uris) {
      all.append(new File(uri.getPath()).getName()).append('#').append(uri.getFragment());
    }
    return all.toString();
  }

  private static String resource(ClassLoader loader) throws IOException {
    try (var in = loader.getResourceAsStream("in-the-jar.txt")) {
      return in == null ? "none" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String found(Configuration conf) throws IOException {
    return "by name: "
        + text(new File(LINK))
        + ", "
        + text(new File(TREE, "inside.txt"))
        + "; class path: "
        + resource(conf.getClassLoader())
        + ", "
        + resource(Thread.currentThread().getContextClassLoader());
  }

  /** Of the new interface. */
  public static class Finds extends Mapper<LongWritable, Text, Text, NullWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      if (context.getConfiguration().getBoolean(LATE, false)) {
        CountDownLatch end = mayEnd; // the test makes another for the next job
        begun.countDown();
        end.await();
      }
      write(context, found(context.getConfiguration()));
      write(context, "files: " + names(context.getCacheFiles()));
      write(context, "archives: " + names(context.getCacheArchives()));
      write(context, "local files: " + text(context.getLocalCacheFiles()));
      write(context, "local archives: " + text(context.getLocalCacheArchives()));
    }

    private static void write(Context context, String text)
        throws IOException, InterruptedException {
      context.write(new Text(text), NullWritable.get());
    }
  }

  /** Of the old one. */
  public static class OldFinds extends org.apache.hadoop.mapred.MapReduceBase
      implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, NullWritable> {
    private JobConf conf;

    @Override
    public void configure(JobConf job) {
      conf = job;
    }

    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, NullWritable> out, Reporter reporter)
        throws IOException {
      out.collect(new Text(found(conf)), NullWritable.get());
      out.collect(
          new Text(
              text(org.apache.hadoop.filecache.DistributedCache.getLocalCacheFiles(conf))
                  + text(org.apache.hadoop.filecache.DistributedCache.getLocalCacheArchives(conf))),
          NullWritable.get());
    }
  }
}
