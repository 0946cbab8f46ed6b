package io.sluice.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Jobs, and what they read and write, in a directory of a test. */
final class Jobs {
  static final AtomicInteger FAILURES_LEFT = new AtomicInteger();
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Path directory;
  private final Configuration conf = new Configuration();

  Jobs(Path directory) {
    this.directory = directory;
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.setInt("mapreduce.task.io.sort.mb", 4);
    conf.setInt("sluice.local.memory-mb", 256);
  }

  /** Between two questions of a client, who can only ask; the job needs the processor too. */
  static void pause() {
    LockSupport.parkNanos(PAUSE_NS);
  }

  Configuration conf() {
    return conf;
  }

  /** How records get from maps to reduces; maps push only where they share their classes. */
  void exchange(String exchange) {
    conf.set("sluice.local.exchange", exchange);
    conf.set("sluice.local.isolation", exchange.equals("push") ? "none" : "slot");
  }

  /** Words of which some are frequent, in so many files. */
  void writeWords(Random random, int files, int lines) throws IOException {
    Path input = Files.createDirectories(directory.resolve("input"));
    for (int file = 0; file < files; file++) {
      StringBuilder text = new StringBuilder();
      for (int line = 0; line < lines; line++) {
        for (int word = 0; word < 8; word++) {
          text.append("word").append((int) Math.abs(random.nextGaussian() * 300)).append(' ');
        }
        text.append('\n');
      }
      Files.writeString(input.resolve("file" + file), text);
    }
  }

  /** Counts words, on the engine of that framework. */
  Job wordCount(String framework, int reduces, boolean combines) throws IOException {
    Configuration own = new Configuration(conf);
    own.set(MRConfig.FRAMEWORK_NAME, framework);
    if (framework.equals(MRConfig.LOCAL_FRAMEWORK_NAME)) {
      own.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 20); // ours does by itself
    }
    Job job = Job.getInstance(own, "word count");
    job.setMapperClass(Words.class);
    if (combines) {
      job.setCombinerClass(Sum.class);
    }
    job.setReducerClass(Sum.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    job.setNumReduceTasks(reduces);
    FileInputFormat.addInputPath(job, hadoop(directory.resolve("input")));
    FileOutputFormat.setOutputPath(job, hadoop(output(framework)));
    return job;
  }

  private static org.apache.hadoop.fs.Path hadoop(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri());
  }

  Path output(String framework) {
    return directory.resolve("output-" + framework);
  }

  /** So that the next job may have the same. */
  static void deleteOutput(Path output) throws IOException {
    try (Stream<Path> files = Files.walk(output)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** All files of an output by name, but for checksums of the file system. */
  static List<String> contents(Path output) throws IOException {
    List<String> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(output)) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        if (!name.startsWith(".")) {
          all.add(name + ": " + Files.readString(file, StandardCharsets.UTF_8));
        }
      }
    }
    return all;
  }

  /** Each word, once. */
  public static class Words extends Mapper<LongWritable, Text, Text, IntWritable> {
    private static final IntWritable ONE = new IntWritable(1);

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      for (String word : line.toString().split(" ")) {
        context.write(new Text(word), ONE);
      }
    }
  }

  /** Fails as often as the test says, with some of its output written. */
  public static class FailingWords extends Words {
    @Override
    protected void cleanup(Context context) throws IOException {
      if (FAILURES_LEFT.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IOException("on purpose");
      }
    }
  }

  /** How often. */
  public static class Sum extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text word, Iterable<IntWritable> counts, Context context)
        throws IOException, InterruptedException {
      int sum = 0;
      for (IntWritable count : counts) {
        sum += count.get();
      }
      context.write(word, new IntWritable(sum));
    }
  }
}
