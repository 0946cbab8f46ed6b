package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client that lives on, and has no class of the jobs that it submits: it names them. */
@Timeout(300)
class UnloadedClassesTest {
  private static final String LOADERS = "far.loaders";

  /** Everything of it registers something with Hadoop, or leaves it where Hadoop keeps it. */
  private static final String PROGRAM =
      """
      package far;
      import java.io.*;
      import java.lang.ref.WeakReference;
      import java.util.List;
      import org.apache.hadoop.io.*;
      import org.apache.hadoop.mapreduce.*;
      public class Program {
        enum Count { SEEN }
        @SuppressWarnings("unchecked")
        static void here(Class<?> of) {
          List<Object> all = (List<Object>) System.getProperties().get("far.loaders");
          all.add(new WeakReference<>(of.getClassLoader()));
          if (!(of.getClassLoader() instanceof java.net.URLClassLoader)) {
            all.add(new WeakReference<>(of.getClassLoader().getParent())); // the job's
          }
        }
        public static class Key implements WritableComparable<Key> {
          static {
            WritableComparator.define(Key.class, new WritableComparator(Key.class, true) {});
            WritableName.setName(Key.class, "far.old.Key");
            WritableFactories.setFactory(Key.class, Key::new);
          }
          @Override public void write(DataOutput out) throws IOException { out.writeInt(1); }
          @Override public void readFields(DataInput in) throws IOException { in.readInt(); }
          @Override public int compareTo(Key other) { return 0; }
          @Override public int hashCode() { return 0; }
        }
        public static class M extends Mapper<LongWritable, Text, Key, Text> {
          @Override protected void map(LongWritable key, Text value, Context context)
              throws IOException, InterruptedException {
            here(getClass());
            context.getCounter(Count.SEEN).increment(1);
            context.write(new Key(), value);
          }
        }
        public static class R extends Reducer<Key, Text, Text, Text> {
          @Override protected void reduce(Key key, Iterable<Text> values, Context context)
              throws IOException, InterruptedException {
            here(getClass());
            context.getCounter(Count.SEEN).increment(1);
          }
        }
      }
      """;

  @TempDir private Path directory;

  @AfterEach
  void tidy() {
    System.getProperties().remove(LOADERS);
  }

  @ParameterizedTest
  @CsvSource({"slot, pull", "slot, hybrid", "task, pull", "none, pull"})
  void noClassOfAJobStaysWhenItHasEnded(String isolation, String exchange) throws Exception {
    Jobs jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 2, 1);
    jobs.conf().set("sluice.local.isolation", isolation);
    jobs.conf().set("sluice.local.exchange", exchange);
    Job before = jobs.wordCount("sluice", 2, true); // file systems are made with its settings
    assertTrue(before.waitForCompletion(false), before.getStatus().getFailureInfo());
    List<WeakReference<ClassLoader>> loaders = new CopyOnWriteArrayList<>();
    System.getProperties().put(LOADERS, loaders);
    run(jobs, jar());
    assertTrue(loaders.size() >= 3, loaders.size() + " noted");
    Leftovers.none(jobs.conf(), directory.resolve("tmp")); // joins its threads
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
    while (left(loaders) > 0) {
      assertTrue(System.nanoTime() < deadlineNanos, left(loaders) + " of " + loaders.size());
      System.gc();
    }
  }

  private static long left(List<WeakReference<ClassLoader>> loaders) {
    return loaders.stream().filter(each -> each.get() != null).count();
  }

  private static void run(Jobs jobs, Path jar) throws Exception {
    Job job = jobs.wordCount("sluice", 2, false);
    job.setJar(jar.toString());
    job.getConfiguration().set("mapreduce.job.map.class", "far.Program$M");
    job.getConfiguration().set("mapreduce.job.reduce.class", "far.Program$R");
    job.setOutputFormatClass(NullOutputFormat.class);
    job.getConfiguration().set("mapreduce.map.output.key.class", "far.Program$Key");
    job.setMapOutputValueClass(Text.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertEquals(3, job.getCounters().findCounter("far.Program$Count", "SEEN").getValue());
  }

  private Path jar() throws IOException {
    CompiledClasses.of(directory, Map.of("Program", PROGRAM)).close();
    Path jar = directory.resolve("far.jar");
    Path classes = directory.resolve("classes");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, out);
      }
    }
    return jar;
  }

  /** No file of a deleted job may stay open: its place on the disk would stay taken. */
  @Test
  void noJarOfAJobStaysOpen() throws Exception {
    Jobs jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 2, 1);
    System.getProperties().put(LOADERS, new CopyOnWriteArrayList<>());
    run(jobs, jar());
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      assertEquals(List.of(), open.map(UnloadedClassesTest::target).filter(this::isOfJob).toList());
    }
  }

  private boolean isOfJob(String target) {
    return target.startsWith(directory.toString()) && target.contains(".jar");
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // it was closed meanwhile
    }
  }
}
