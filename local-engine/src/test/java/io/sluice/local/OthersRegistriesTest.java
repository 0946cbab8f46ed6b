package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.WritableFactories;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.aggregate.ValueAggregatorCombiner;
import org.apache.hadoop.mapreduce.lib.aggregate.ValueAggregatorMapper;
import org.apache.hadoop.mapreduce.lib.aggregate.ValueAggregatorReducer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that register with Hadoop what concerns one of Hadoop's classes. */
@Timeout(300)
@Tag("slow")
class OthersRegistriesTest {
  private static final String TOGETHER = "user.together";

  /** Sorts lines, and says after each what Hadoop itself compares with and makes. */
  private static final String PROGRAM =
      """
      package PACKAGE;
      import java.io.IOException;
      import java.util.concurrent.*;
      import org.apache.hadoop.io.*;
      import org.apache.hadoop.mapreduce.*;
      import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
      public class Sorts {
        static { REGISTERS }
        static void begin() {}
        public static class Down extends Text.Comparator {
          static void reverse() { define(Text.class, new Down()); }
          @Override public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
            return super.compare(b, bOff, bLen, a, aOff, aLen);
          }
        }
        static void together() {
          begin();
          try {
            ((CyclicBarrier) System.getProperties().get("user.together")).await();
          } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
          }
        }
        public static class M extends Mapper<LongWritable, Text, Text, NullWritable> {
          @Override protected void setup(Context context) { together(); }
          @Override protected void map(LongWritable key, Text value, Context context)
              throws IOException, InterruptedException {
            context.write(value, NullWritable.get());
          }
          @Override protected void cleanup(Context context) { together(); }
        }
        public static class R extends Reducer<Text, NullWritable, Text, NullWritable> {
          @Override protected void reduce(Text key, Iterable<NullWritable> n, Context context)
              throws IOException, InterruptedException {
            int order = WritableComparator.get(Text.class)
                .compare(new byte[] {1, 'a'}, 0, 2, new byte[] {1, 'b'}, 0, 2);
            Writable made = WritableFactories.newInstance(Text.class);
            context.write(
                new Text(key + " " + Integer.signum(order) + " " + made), NullWritable.get());
          }
          @Override protected void setup(Context context) { together(); }
        }
        public static class Out extends TextOutputFormat<Text, NullWritable> {
          static {
            if (!(Out.class.getClassLoader() instanceof java.net.URLClassLoader)) { // of a client
              begin();
            }
          }
        }
      }
      """;

  private static final String DESCENDING = "c 1 made b 1 made a 1 made";
  private static final String ASCENDING = "a -1  b -1  c -1 ";

  @TempDir private Path directory;
  private String exchanges = "auto";

  @BeforeEach
  void alone() {
    System.getProperties().put(TOGETHER, new CyclicBarrier(1));
  }

  @AfterEach
  void tidy() {
    System.getProperties().remove(TOGETHER);
  }

  private BroughtProgram program(String name, String registers) throws IOException {
    return new BroughtProgram(
        directory.resolve(name),
        Map.of("Sorts", PROGRAM.replace("PACKAGE", name).replace("REGISTERS", registers)));
  }

  private static final String REVERSES =
      "WritableComparator.define(Text.class, new Down());"
          + " WritableFactories.setFactory(Text.class, () -> new Text(\"made\"));";

  private Job sort(BroughtProgram program, String name) throws Exception {
    Job job = job(program, name);
    job.setMapperClass(program.of(name + ".Sorts$M", Mapper.class));
    job.setReducerClass(program.of(name + ".Sorts$R", Reducer.class));
    job.setOutputFormatClass(program.of(name + ".Sorts$Out", OutputFormat.class));
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    submit(job, program);
    return job;
  }

  private Job job(BroughtProgram program, String name) throws IOException {
    Configuration conf = program.conf(1, "b\nc\na\n");
    conf.setInt("mapreduce.map.maxattempts", 1); // another would wait for the others
    conf.setInt("mapreduce.reduce.maxattempts", 1);
    conf.set("sluice.local.exchange", exchanges);
    return Job.getInstance(conf, name);
  }

  private static void submit(Job job, BroughtProgram program) throws Exception {
    program.asClient(
        () -> {
          job.submit();
          return job;
        });
  }

  private static String result(Job job, BroughtProgram program) throws Exception {
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    return String.join(" ", program.result());
  }

  private static void assertHadoopsOwn() {
    byte[] a = {1, 'a'};
    byte[] b = {1, 'b'};
    assertTrue(WritableComparator.get(Text.class).compare(a, 0, 2, b, 0, 2) < 0);
    assertEquals(new Text(), WritableFactories.newInstance(Text.class));
  }

  /** Says its name once for each line. */
  private static final String DESCRIBES =
      """
      package PACKAGE;
      import java.util.*;
      import java.util.concurrent.*;
      import org.apache.hadoop.io.Text;
      import org.apache.hadoop.mapreduce.lib.aggregate.*;
      public class Describes extends ValueAggregatorBaseDescriptor {
        @Override
        public ArrayList<Map.Entry<Text, Text>> generateKeyValPairs(Object key, Object value) {
          try {
            ((CyclicBarrier) System.getProperties().get("user.together")).await();
          } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
          }
          return new ArrayList<>(List.of(generateEntry(LONG_VALUE_SUM, "PACKAGE", ONE)));
        }
      }
      """;

  private Job aggregate(BroughtProgram program, String name) throws Exception {
    Job job = job(program, name);
    job.setMapperClass(ValueAggregatorMapper.class);
    job.setCombinerClass(ValueAggregatorCombiner.class);
    job.setReducerClass(ValueAggregatorReducer.class);
    job.getConfiguration().setInt("mapreduce.aggregate.descriptor.num", 1);
    job.getConfiguration()
        .set("mapreduce.aggregate.descriptor.0", "UserDefined," + name + ".Describes");
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    submit(job, program);
    return job;
  }

  /** Hadoop keeps what a task's settings describe in a static field. */
  @Test
  void aggregatesOfOneJobAreNotThoseOfAJobBesideIt() throws Exception {
    try (BroughtProgram one = describes("far");
        BroughtProgram other = describes("near")) {
      System.getProperties().put(TOGETHER, new CyclicBarrier(2));
      Job far = aggregate(one, "far");
      Job near = aggregate(other, "near");
      assertEquals("far\t3", result(far, one));
      assertEquals("near\t3", result(near, other));
    }
  }

  private BroughtProgram describes(String name) throws IOException {
    return new BroughtProgram(
        directory.resolve(name), Map.of("Describes", DESCRIBES.replace("PACKAGE", name)));
  }

  @Test
  void aJobsOrderOfTextIsNotTheNextJobs() throws Exception {
    try (BroughtProgram reverses = program("far", REVERSES);
        BroughtProgram plain = program("near", "")) {
      assertEquals(DESCENDING, result(sort(reverses, "far"), reverses));
      assertEquals(ASCENDING, result(sort(plain, "near"), plain));
    }
    assertHadoopsOwn();
  }

  @Test
  void aJobsOrderOfTextIsNotThatOfAJobBesideIt() throws Exception {
    try (BroughtProgram reverses = program("far", REVERSES);
        BroughtProgram plain = program("near", "")) {
      System.getProperties().put(TOGETHER, new CyclicBarrier(2));
      Job far = sort(reverses, "far");
      Job near = sort(plain, "near");
      assertEquals(DESCENDING, result(far, reverses));
      assertEquals(ASCENDING, result(near, plain));
    }
    assertHadoopsOwn();
  }

  /** Java names the subclass in such a call, so nothing tells that it is Hadoop's method. */
  @Test
  void aCallByASubclassesNameIsPutRightWhenItsJobEnds() throws Exception {
    try (BroughtProgram reverses = program("far", "Down.reverse();");
        BroughtProgram plain = program("near", "")) {
      assertEquals("c 1  b 1  a 1 ", result(sort(reverses, "far"), reverses));
      assertHadoopsOwn();
      assertEquals(ASCENDING, result(sort(plain, "near"), plain));
    }
  }

  /** On a cluster no task sees what its client has registered. */
  @ParameterizedTest
  @ValueSource(strings = {"pull", "hybrid"})
  void aClientsOrderOfTextIsNotThatOfItsTasks(String exchange) throws Exception {
    WritableComparator before = WritableComparator.get(Text.class);
    try (BroughtProgram client = program("far", "")) {
      WritableComparator.define(
          Text.class,
          client.of("far.Sorts$Down", WritableComparator.class).getConstructor().newInstance());
      exchanges = exchange;
      Job job = sort(client, "far");
      assertEquals("a 1  b 1  c 1 ", result(job, client));
    } finally {
      WritableComparator.define(Text.class, before);
    }
  }
}
