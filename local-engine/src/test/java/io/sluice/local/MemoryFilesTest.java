package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.memory.store.ProcessStore;
import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.split.JobSplitWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chained jobs of which nothing but the default file system was changed, so that it is memory. */
@Timeout(300)
@Tag("slow")
class MemoryFilesTest {
  private static final Path INPUT = new Path("/chain/input");

  @TempDir private java.nio.file.Path directory;
  private final Configuration conf = new Configuration();

  private Configuration conf() {
    FileSystem.setDefaultUri(conf, "sluice:///");
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.setInt("mapreduce.task.io.sort.mb", 4);
    conf.setInt("sluice.local.memory-mb", 256);
    return conf;
  }

  @AfterEach
  void clear() throws IOException {
    FileSystem.get(conf).delete(INPUT.getParent(), true);
  }

  private Job job(String framework, Path input, Path output) throws IOException {
    Configuration own = new Configuration(conf);
    own.set(MRConfig.FRAMEWORK_NAME, framework);
    Job job = Job.getInstance(own, output.getName());
    job.setReducerClass(Jobs.Sum.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    job.setNumReduceTasks(2);
    FileInputFormat.addInputPath(job, input);
    FileOutputFormat.setOutputPath(job, output);
    return job;
  }

  /** Counts words, and then sums up the counts of words that begin with the same letters. */
  private TreeMap<String, Integer> runChain(String framework) throws Exception {
    Path counts = new Path("/chain/counts-" + framework);
    Job count = job(framework, INPUT, counts);
    count.setMapperClass(Jobs.Words.class);
    assertTrue(count.waitForCompletion(false));
    Path sums = new Path("/chain/sums-" + framework);
    Job sum = job(framework, counts, sums);
    sum.setInputFormatClass(SequenceFileInputFormat.class);
    sum.setMapperClass(Beginnings.class);
    assertTrue(sum.waitForCompletion(false));
    return read(sums);
  }

  private TreeMap<String, Integer> read(Path output) throws IOException {
    FileSystem fs = FileSystem.get(conf);
    assertTrue(fs.exists(new Path(output, "_SUCCESS")));
    TreeMap<String, Integer> all = new TreeMap<>();
    for (FileStatus file : fs.globStatus(new Path(output, "part-*"))) {
      try (SequenceFile.Reader reader =
          new SequenceFile.Reader(conf, SequenceFile.Reader.file(file.getPath()))) {
        Text key = new Text();
        IntWritable value = new IntWritable();
        while (reader.next(key, value)) {
          all.put(key.toString(), value.get());
        }
      }
    }
    return all;
  }

  @Test
  void chainedJobsDoTheSameOnMemoryAsStocksAndLeaveNothingThere() throws Exception {
    FileSystem fs = FileSystem.get(conf());
    TreeMap<String, Integer> expected = new TreeMap<>();
    Random random = TestSeed.random();
    for (int file = 0; file < 3; file++) {
      try (FSDataOutputStream out = fs.create(new Path(INPUT, "file" + file))) {
        for (int word = 0; word < 50_000; word++) {
          String text = "w" + random.nextInt(5_000);
          expected.merge(Beginnings.of(text), 1, Integer::sum);
          out.write((text + (word % 8 == 7 ? "\n" : " ")).getBytes(StandardCharsets.UTF_8));
        }
      }
    }
    assertEquals(expected, runChain("sluice"));
    assertEquals(expected, runChain("local"));
    fs.delete(INPUT.getParent(), true);
    fs.delete(new Path("/tmp"), true);
    fs.delete(new Path("/user"), true);
    assertEquals(0, ProcessStore.of(conf).stats().memory().usedBytes());
  }

  /**
   * Which takes longer than a small task, and Hadoop does it where it has no native library. Its
   * client writes the splits itself.
   */
  @Test
  void aLaterJobStartsNoProcessButForItsSplits() throws Exception {
    try (FSDataOutputStream out = FileSystem.get(conf()).create(new Path(INPUT, "file"))) {
      out.writeBytes("few words\n");
    }
    runChain("sluice"); // Hadoop asks the system once what it is
    try (Recording recording = new Recording()) {
      recording.enable("jdk.ProcessStart").withStackTrace();
      recording.start();
      FileSystem.get(conf).delete(new Path("/chain/counts-sluice"), true);
      FileSystem.get(conf).delete(new Path("/chain/sums-sluice"), true);
      runChain("sluice");
      recording.stop();
      java.nio.file.Path file = directory.resolve("processes.jfr");
      recording.dump(file);
      assertEquals(
          List.of(),
          RecordingFile.readAllEvents(file).stream().filter(event -> !isOfSplits(event)).toList());
    }
  }

  private static boolean isOfSplits(RecordedEvent process) {
    return process.getStackTrace().getFrames().stream()
        .anyMatch(
            frame -> frame.getMethod().getType().getName().equals(JobSplitWriter.class.getName()));
  }

  /** The first letters of each word. */
  public static class Beginnings extends Mapper<Text, IntWritable, Text, IntWritable> {
    private static String of(String word) {
      return word.substring(0, Math.min(3, word.length()));
    }

    @Override
    protected void map(Text word, IntWritable count, Context context)
        throws IOException, InterruptedException {
      context.write(new Text(of(word.toString())), count);
    }
  }

  /** The first attempt writes a log, leaves it open and fails; the second goes on with it. */
  public static class Logs extends Mapper<Object, Text, Text, IntWritable> {
    private static final Path LOG = new Path("/chain/log");
    static FSDataOutputStream open; // no collection ends it

    @Override
    protected void setup(Context context) throws IOException {
      FileSystem fs = FileSystem.get(context.getConfiguration());
      if (context.getTaskAttemptID().getId() == 0) {
        open = fs.create(LOG);
        open.write(1);
        throw new IOException("the first attempt fails");
      }
      try (FSDataOutputStream log = fs.append(LOG)) {
        log.write(2);
      }
    }

    @Override
    protected void map(Object key, Text line, Context context) {
      // the log is all it writes
    }
  }

  @Test
  void whatAnAttemptWritesEndsWithTheAttempt() throws Exception {
    try (FSDataOutputStream out = FileSystem.get(conf()).create(new Path(INPUT, "file"))) {
      out.writeBytes("few words\n");
    }
    Job job = job("sluice", INPUT, new Path("/chain/output"));
    job.setMapperClass(Logs.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertEquals(2, FileSystem.get(conf).getFileStatus(Logs.LOG).getLen());
    assertThrows(IOException.class, () -> Logs.open.write(3));
  }
}
