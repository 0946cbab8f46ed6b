package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import foreign.Programs;
import io.sluice.local.loader.ClassCaches;
import io.sluice.local.loader.SlotLoader;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.VIntWritable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.Reducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One order of one of Hadoop's keys in all tasks of a job, however its program registers it. */
@Timeout(300)
class SlotOrdersTest {
  private static final int MAPS = 12;
  private static final List<String> DOWN = List.of("d\t12", "c\t12", "b\t12", "a\t12");
  private static final List<String> UP = List.of("a\t12", "b\t12", "c\t12", "d\t12");

  private static final String PROGRAM =
      """
      package far;
      import java.io.IOException;
      import org.apache.hadoop.io.*;
      import org.apache.hadoop.mapreduce.*;
      import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
      public class Sorts {
        public static class Down extends Text.Comparator {
          static { DEFINE }
          static void begin() {}
          @Override public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
            return super.compare(b, bOff, bLen, a, aOff, aLen);
          }
        }
        public static class M extends Mapper<LongWritable, Text, Text, IntWritable> {
          @Override protected void map(LongWritable key, Text value, Context context)
              throws IOException, InterruptedException {
            context.write(value, new IntWritable(1));
          }
        }
        public static class R extends Reducer<Text, IntWritable, Text, IntWritable> {
          @Override protected void reduce(Text key, Iterable<IntWritable> n, Context context)
              throws IOException, InterruptedException {
            int sum = 0;
            for (IntWritable i : n) { sum += i.get(); }
            context.write(key, new IntWritable(sum));
          }
        }
        public static class Out extends TextOutputFormat<Text, IntWritable> {
          static {
            if (!(Out.class.getClassLoader() instanceof java.net.URLClassLoader)) {
              Down.begin();
            }
          }
        }
      }
      """;

  @TempDir private Path directory;

  private List<String> run(String define, String exchange) throws Exception {
    try (BroughtProgram program =
        new BroughtProgram(
            directory.resolve("place"), Map.of("Sorts", PROGRAM.replace("DEFINE", define)))) {
      Job job = Job.getInstance(conf(program, exchange), "far");
      job.setMapperClass(program.of("far.Sorts$M", Mapper.class));
      job.setReducerClass(program.of("far.Sorts$R", Reducer.class));
      job.setOutputFormatClass(program.of("far.Sorts$Out", OutputFormat.class));
      job.setOutputKeyClass(Text.class);
      job.setOutputValueClass(IntWritable.class);
      boolean isDone = program.asClient(() -> job.waitForCompletion(false));
      assertTrue(isDone, job.getStatus().getFailureInfo());
      return program.result();
    }
  }

  private static Configuration conf(BroughtProgram program, String exchange) throws IOException {
    Configuration conf = program.conf(MAPS, "b\nc\na\nd\n");
    conf.set("sluice.local.exchange", exchange);
    return conf;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "auto|WritableComparator.define(Text.class, new Down());",
        "auto|define(Text.class, new Down());",
        "pull|define(Text.class, new Down());",
        "auto|java.util.Map.<Class, WritableComparator>of(Text.class, new Down())"
            + ".forEach(WritableComparator::define);",
        "auto|try { WritableComparator.class.getMethod(\"define\", Class.class,"
            + " WritableComparator.class).invoke(null, Text.class, new Down()); }"
            + " catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }",
      })
  void aProgramsOrderIsThatOfAllItsTasks(String exchange, String define) throws Exception {
    WritableComparator before = WritableComparator.get(Text.class);
    assertEquals(DOWN, run(define, exchange));
    assertEquals(before.getClass(), WritableComparator.get(Text.class).getClass());
  }

  /** Its class lies on the class path that has Hadoop, too, as with java -cp. */
  @Test
  void aClientsOrderIsNotThatOfItsTasks() throws Exception {
    WritableComparator before = WritableComparator.get(Text.class);
    WritableComparator.define(Text.class, new Programs.Descending());
    try {
      assertEquals(UP, run("", "auto"));
    } finally {
      WritableComparator.define(Text.class, before);
    }
  }

  private static final String OLD =
      """
      package far;
      import java.io.IOException;
      import org.apache.hadoop.io.*;
      import org.apache.hadoop.mapred.*;
      public class Old {
        public static class Down extends Text.Comparator {
          @Override public int compare(byte[] a, int ao, int al, byte[] b, int bo, int bl) {
            return super.compare(b, bo, bl, a, ao, al);
          }
        }
        public static class M extends MapReduceBase
            implements Mapper<LongWritable, Text, Text, IntWritable> {
          @Override public void configure(JobConf conf) {
            WritableComparator.define(Text.class, new Down());
          }
          public void map(LongWritable k, Text v, OutputCollector<Text, IntWritable> out,
              Reporter r) throws IOException {
            out.collect(v, new IntWritable(1));
          }
        }
      }
      """;

  private List<String> old(String exchange) throws Exception {
    try (BroughtProgram program =
        new BroughtProgram(directory.resolve("place"), Map.of("Old", OLD))) {
      org.apache.hadoop.mapred.JobConf job =
          new org.apache.hadoop.mapred.JobConf(conf(program, exchange));
      job.setMapperClass(program.of("far.Old$M", org.apache.hadoop.mapred.Mapper.class));
      job.setReducerClass(Sum.class);
      job.setOutputKeyClass(Text.class);
      job.setOutputValueClass(IntWritable.class);
      assertTrue(
          program.asClient(() -> org.apache.hadoop.mapred.JobClient.runJob(job).isSuccessful()));
      return program.result();
    }
  }

  public static class Sum extends org.apache.hadoop.mapred.MapReduceBase
      implements org.apache.hadoop.mapred.Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text key,
        java.util.Iterator<IntWritable> values,
        org.apache.hadoop.mapred.OutputCollector<Text, IntWritable> out,
        org.apache.hadoop.mapred.Reporter reporter)
        throws IOException {
      int sum = 0;
      while (values.hasNext()) {
        sum += values.next().get();
      }
      out.collect(key, new IntWritable(sum));
    }
  }

  /** A mapper of the old interface is made after its collector: on a cluster it changes nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"pull", "hybrid"})
  void anOrderThatIsRegisteredAfterTheCollectorWasMadeIsNoTasks(String exchange) throws Exception {
    assertEquals(UP, old(exchange));
  }

  /** A thread of the task has another context class loader, as Groovy's, Pig's and Hive's have. */
  @Test
  void aThreadWhoseClassLoaderIsBelowTheSlotsHasItsOrder() throws Exception {
    Path src = Files.createDirectory(directory.resolve("below"));
    try (URLClassLoader program =
        CompiledClasses.of(
            src,
            Map.of(
                "B",
                """
                package q;
                import org.apache.hadoop.io.*;
                public class B extends Text.Comparator {
                  static { WritableComparator.define(Text.class, new B()); }
                  @Override public int compare(byte[] a, int ao, int al, byte[] b, int bo, int bl) {
                    return super.compare(b, bo, bl, a, ao, al);
                  }
                }
                """))) {
      Configuration conf = new Configuration();
      conf.setClassLoader(program);
      SlotLoader slot = new SlotLoader(conf);
      Class.forName("q.B", true, slot);
      Thread thread = Thread.currentThread();
      ClassLoader was = thread.getContextClassLoader();
      byte[] a = {1, 'a'};
      byte[] b = {1, 'b'};
      try {
        thread.setContextClassLoader(slot);
        int inSlot = WritableComparator.get(Text.class).compare(a, 0, 2, b, 0, 2);
        thread.setContextClassLoader(new URLClassLoader(new URL[0], slot));
        int below = WritableComparator.get(Text.class).compare(a, 0, 2, b, 0, 2);
        assertEquals("1 1", Integer.signum(inSlot) + " " + Integer.signum(below));
      } finally {
        thread.setContextClassLoader(was);
        ClassCaches.forget(Set.of(slot));
      }
    }
  }

  /** VIntWritable registers no comparator: Hadoop makes one for each who asks. */
  @Test
  void aKeyWithoutAComparatorHasNoneAfterTheJob() throws Exception {
    Path src = Files.createDirectory(directory.resolve("v"));
    try (URLClassLoader program =
        CompiledClasses.of(
            src,
            Map.of(
                "V",
                """
                package q;
                import org.apache.hadoop.io.*;
                public class V extends WritableComparator {
                  V() { super(VIntWritable.class, true); }
                  static { WritableComparator.define(VIntWritable.class, new V()); }
                }
                """))) {
      Configuration conf = new Configuration();
      conf.setClassLoader(program);
      SlotLoader slot = new SlotLoader(conf);
      Class.forName("q.V", true, slot);
      ClassCaches.forget(Set.of(slot));
      assertNotSame(
          WritableComparator.get(VIntWritable.class), WritableComparator.get(VIntWritable.class));
    }
  }
}
