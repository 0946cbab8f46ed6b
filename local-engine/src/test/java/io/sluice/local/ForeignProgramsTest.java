package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import foreign.Programs;
import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that keep something of a task where another task of the process could see it. */
@Timeout(300)
@Tag("slow")
class ForeignProgramsTest {
  private static final String OURS = "sluice";
  private static final int THREADS = 2;

  @TempDir private Path directory;

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();
  private Jobs jobs;

  @BeforeEach
  void prepare() {
    jobs = new Jobs(directory);
    jobs.conf().setInt("sluice.local.map-threads", THREADS);
    jobs.conf().setInt("mapreduce.map.maxattempts", 1);
    jobs.conf().setInt("mapreduce.reduce.maxattempts", 1);
    System.getProperties().put(Programs.BARRIER, new CyclicBarrier(THREADS));
    System.getProperties().put(Programs.ORDERS, ConcurrentHashMap.newKeySet());
  }

  @AfterEach
  void tidy() {
    Thread.currentThread().setContextClassLoader(before);
    System.getProperties().keySet().removeIf(name -> name.toString().startsWith("foreign."));
  }

  /** The client has the programs, or the job alone brings them. */
  private URLClassLoader loader(boolean brought) throws IOException {
    if (!brought) {
      return new URLClassLoader(new URL[0], before);
    }
    Path classes = directory.resolve("brought/foreign");
    Files.createDirectories(classes);
    Path compiled =
        Path.of(
            Programs.class.getProtectionDomain().getCodeSource().getLocation().getPath(),
            "foreign");
    try (Stream<Path> files = Files.list(compiled)) {
      for (Path file : files.toList()) {
        Files.copy(file, classes.resolve(file.getFileName()));
      }
    }
    URL url = directory.resolve("brought").toUri().toURL();
    // The client has them already, so those that are brought go first.
    return new org.apache.hadoop.util.ApplicationClassLoader(
        new URL[] {url}, before, List.of("-foreign.", "io.", "org.", "java.", "javax."));
  }

  @ParameterizedTest
  @CsvSource({"slot, pull, false", "slot, hybrid, true", "task, pull, true"})
  void tasksThatRunAtATimeSeeNothingOfEachOther(String isolation, String exchange, boolean brought)
      throws Exception {
    jobs.writeWords(TestSeed.random(), 3 * THREADS, 1);
    jobs.conf().set("sluice.local.isolation", isolation);
    jobs.conf().set("sluice.local.exchange", exchange);
    try (URLClassLoader loader = loader(brought)) {
      Thread.currentThread().setContextClassLoader(loader);
      jobs.conf().setClassLoader(loader);
      Job job = jobs.wordCount(OURS, 1, false);
      job.setMapperClass(loader.loadClass(Programs.Looks.class.getName()).asSubclass(Mapper.class));
      assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    }
  }

  @Test
  void eachSlotHasItsOwnCopyOfANativeLibrary() throws Exception {
    jobs.writeWords(TestSeed.random(), THREADS, 1);
    String javas = System.mapLibraryName("prefs"); // any will do that needs no caller
    Files.copy(
        Path.of(System.getProperty("java.home"), "lib", javas),
        directory.resolve(System.mapLibraryName("foreign")));
    String path = System.getProperty("java.library.path", "");
    System.setProperty("java.library.path", path + ":" + directory);
    try {
      Job job = jobs.wordCount(OURS, 1, false);
      job.setMapperClass(Programs.LoadsLibrary.class);
      assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    } finally {
      System.setProperty("java.library.path", path);
    }
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }

  @Test
  void whatJavaAllowsOnceInAProcessSaysWhatToSet() throws Exception {
    jobs.writeWords(TestSeed.random(), 2 * THREADS, 1);
    Path library = directory.resolve("libtwice.so");
    Files.copy(
        Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("prefs")), library);
    jobs.conf().set("foreign.library", library.toString());
    jobs.conf().set("sluice.local.isolation", "task"); // or one slot may have all of them
    Job job = jobs.wordCount(OURS, 1, false);
    job.setMapperClass(Programs.LoadsTwice.class);
    assertFalse(job.waitForCompletion(false));
    String why = job.getStatus().getFailureInfo();
    assertTrue(why.contains("set sluice.local.isolation=none"), why);
  }

  @Test
  void eachSlotRegistersItsMetricsAndNoneStay() throws Exception {
    jobs.writeWords(TestSeed.random(), 3 * THREADS, 1);
    jobs.conf().set("sluice.local.isolation", "task"); // or more slots than threads may be made
    MetricsSystem system = DefaultMetricsSystem.initialize("Foreign");
    try {
      Job job = jobs.wordCount(OURS, 1, false);
      job.setMapperClass(Programs.HasMetrics.class);
      assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
      assertNull(system.getSource(Programs.HasMetrics.SOURCE));
      assertNull(system.getSource(Programs.HasMetrics.SOURCE + "-1"));
    } finally {
      system.shutdown();
    }
  }

  /** Hadoop keeps the serializations of the first who copies something. */
  @Test
  void eachSlotCopiesByItsOwnSerializations() throws Exception {
    jobs.writeWords(TestSeed.random(), 2 * THREADS, 1);
    jobs.conf()
        .set(
            "io.serializations",
            "org.apache.hadoop.io.serializer.WritableSerialization,"
                + "org.apache.hadoop.io.serializer.JavaSerialization");
    Job job = jobs.wordCount(OURS, 1, false);
    job.setMapperClass(Programs.Copies.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
  }

  @ParameterizedTest
  @CsvSource({
    "exit, System.exit(3)",
    "zero, System.exit(0)",
    "runtime, Runtime.exit(4)",
    "halt, Runtime.halt(5)",
    "hadoop, (6)",
    "reference, Runtime.exit(7)",
    "swallowed, System.exit(0)",
    "thread, System.exit(0)"
  })
  void whoEndsTheProcessFailsItsAttemptAlone(String how, String said) throws Exception {
    jobs.writeWords(TestSeed.random(), 1, 1);
    jobs.conf().set("foreign.exit", how);
    for (int reduces = 0; reduces < 2; reduces++) {
      Job job = jobs.wordCount(OURS, reduces, false);
      job.setMapperClass(Programs.Exits.class);
      assertFalse(job.waitForCompletion(false));
      String why = job.getStatus().getFailureInfo();
      assertTrue(why.contains("a task has called ") && why.contains(said), why);
      assertEquals(List.of(), Jobs.contents(jobs.output(OURS)), "nothing is committed");
      FileUtil.fullyDelete(jobs.output(OURS).toFile());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pull", "hybrid"})
  void aCombinerIsOfOneTask(String exchange) throws Exception {
    jobs.writeWords(TestSeed.random(), 4 * THREADS, 200);
    jobs.conf().set("sluice.local.exchange", exchange);
    Job job = jobs.wordCount(OURS, 2, true);
    job.setMapperClass(Programs.Words.class);
    job.setCombinerClass(Programs.Combines.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    // Were the exchange given up, all maps would have run once more.
    assertEquals(4 * THREADS + 2, job.getTaskCompletionEvents(0, 100).length);
    List<String> ours = Jobs.contents(jobs.output(OURS));
    assertTrue(jobs.wordCount("local", 2, true).waitForCompletion(false));
    assertEquals(Jobs.contents(jobs.output("local")), ours);
  }

  private static final String VERSION =
      """
      package foreign.versions;
      import org.apache.hadoop.io.*;
      import org.apache.hadoop.mapreduce.Mapper;
      public class Writes extends Mapper<LongWritable, Text, Text, IntWritable> {
        @Override protected void setup(Context context)
            throws java.io.IOException, InterruptedException {
          context.write(new Text("VERSION"), new IntWritable(1));
        }
        @Override protected void map(LongWritable key, Text value, Context context) {}
      }
      """;

  @ParameterizedTest
  @CsvSource({
    "mapreduce.job.user.classpath.first, true, jobs",
    "mapreduce.job.classloader, true, jobs",
    "mapreduce.job.classloader.system.classes, foreign., clients",
    "mapreduce.job.user.classpath.first, false, clients"
  })
  void theJobsVersionOfAClassIsUsedIfItAsksForIt(String name, String value, String version)
      throws Exception {
    for (String isolation : new String[] {"slot", "none"}) {
      Path here = Files.createDirectories(directory.resolve(isolation));
      jobs = new Jobs(here);
      jobs.writeWords(TestSeed.random(), 1, 1);
      jobs.conf().set("sluice.local.isolation", isolation);
      Path jar = jar(Files.createDirectories(here.resolve("of-job")), "jobs");
      Path ofClient = Files.createDirectories(here.resolve("of-client"));
      try (URLClassLoader client =
          CompiledClasses.of(ofClient, Map.of("Writes", VERSION.replace("VERSION", "clients")))) {
        Thread.currentThread().setContextClassLoader(client);
        jobs.conf().setClassLoader(client);
        if (name.endsWith("system.classes")) {
          jobs.conf().set("mapreduce.job.classloader", "true");
        }
        jobs.conf().set(name, value);
        Job job = jobs.wordCount(OURS, 1, false);
        job.setJar(jar.toString());
        job.setMapperClass(client.loadClass("foreign.versions.Writes").asSubclass(Mapper.class));
        assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
      }
      assertEquals(
          List.of("_SUCCESS: ", "part-r-00000: " + version + "\t1\n"),
          Jobs.contents(jobs.output(OURS)));
    }
  }

  private static Path jar(Path directory, String version) throws IOException {
    CompiledClasses.of(directory, Map.of("Writes", VERSION.replace("VERSION", version))).close();
    Path jar = directory.resolve("job.jar");
    try (java.util.jar.JarOutputStream out =
        new java.util.jar.JarOutputStream(Files.newOutputStream(jar))) {
      String entry = "foreign/versions/Writes.class";
      out.putNextEntry(new java.util.jar.JarEntry(entry));
      Files.copy(directory.resolve("classes").resolve(entry), out);
    }
    return jar;
  }
}
