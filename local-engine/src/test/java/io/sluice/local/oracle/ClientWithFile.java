package io.sluice.local.oracle;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/** A process with one job, whose map says what a file of its distributed cache has. */
final class ClientWithFile {
  static final String NAME = "dictionary.txt";
  static final String BEGUN = "the map has begun";
  static final String READ = "the map has read ";
  static final String WAITS = " waits until ";

  private ClientWithFile() {}

  /** Says so, waits for the end of its input, and reads the file. */
  public static class Reads extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void setup(Context context) throws IOException {
      System.out.println(BEGUN);
      System.in.read();
      System.out.println(READ + Files.readString(Path.of(NAME)));
    }
  }

  /**
   * @param arguments a directory for all such processes, and what this one's file has
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    Configuration conf = new Configuration();
    conf.set("mapreduce.framework.name", "sluice");
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.set("sluice.local.memory-mb", "64");
    Path own = Files.createDirectories(directory.resolve("of-" + arguments[1]));
    Path file = Files.writeString(own.resolve(NAME), arguments[1]);
    Path input = Files.createDirectories(own.resolve("input"));
    Files.writeString(input.resolve("file"), "a line");
    Job job = Job.getInstance(conf);
    job.setMapperClass(Reads.class);
    job.setNumReduceTasks(0);
    job.setOutputFormatClass(NullOutputFormat.class);
    job.addCacheFile(URI.create(file.toUri() + "#" + NAME));
    FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(input.toUri()));
    System.exit(job.waitForCompletion(false) ? 0 : 1);
  }
}
