package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What tasks of one process do to each other, and to it. */
@Timeout(300)
@Tag("slow")
class IsolationTest {
  private static final String OURS = "sluice";
  private static final long EXIT_S = 60;

  /** A mapper whose static field says how many others of its class there were at the same time. */
  private static final String CLASHING =
      """
      package PACKAGE;
      import java.util.concurrent.atomic.AtomicInteger;
      import org.apache.hadoop.io.*;
      import org.apache.hadoop.mapreduce.Mapper;
      public class Clashing extends Mapper<LongWritable, Text, Text, IntWritable> {
        static final AtomicInteger NOW = new AtomicInteger();
        @Override protected void setup(Context context) throws java.io.IOException, InterruptedException {
          java.util.concurrent.CyclicBarrier barrier =
              (java.util.concurrent.CyclicBarrier) System.getProperties().get("user.clashing");
          NOW.incrementAndGet();
          try {
            barrier.await();
            context.write(new Text("now"), new IntWritable(NOW.get()));
            barrier.await();
          } catch (java.util.concurrent.BrokenBarrierException e) {
            throw new java.io.IOException(e);
          }
          NOW.decrementAndGet();
        }
        @Override protected void map(LongWritable key, Text value, Context context) {}
      }
      """;

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    "user, slot, pull, 2",
    "user, slot, hybrid, 2",
    "user, slot, push, 2",
    "user, task, pull, 2",
    "user, task, hybrid, 2",
    "user, none, pull, 4",
    "user, none, hybrid, 4",
    "user, none, push, 4",
    "org.apache.pig, slot, pull, 2",
    "org.apache.hadoop.hive, slot, pull, 2",
    "org.apache.hadoop.mapred, slot, pull, 2"
  })
  void staticFieldsAreSharedUnlessIsolated(
      String ofPackage, String isolation, String exchange, int sum) throws Exception {
    Jobs jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 2, 1);
    jobs.conf().set("sluice.local.isolation", isolation);
    jobs.conf().set("sluice.local.exchange", exchange);
    jobs.conf().setInt("mapreduce.map.maxattempts", 1);
    jobs.conf().setInt("sluice.local.map-threads", 2);
    System.getProperties().put("user.clashing", new java.util.concurrent.CyclicBarrier(2));
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader user =
        CompiledClasses.of(directory, Map.of("Clashing", CLASHING.replace("PACKAGE", ofPackage)))) {
      Thread.currentThread().setContextClassLoader(user);
      jobs.conf().setClassLoader(user);
      Job job = jobs.wordCount(OURS, 1, false);
      job.setMapperClass(user.loadClass(ofPackage + ".Clashing").asSubclass(Mapper.class));
      assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    } finally {
      Thread.currentThread().setContextClassLoader(before);
      System.getProperties().remove("user.clashing");
    }
    assertEquals(
        List.of("_SUCCESS: ", "part-r-00000: now\t" + sum + "\n"),
        Jobs.contents(jobs.output(OURS)));
  }

  private static final AtomicReference<FileSystem> OF_TASK = new AtomicReference<>();

  /** Closes what it has not opened. */
  public static class Closes extends Jobs.Words {
    @Override
    protected void setup(Context context) throws IOException {
      FileSystem files = FileSystem.get(context.getConfiguration());
      OF_TASK.set(files);
      files.close();
    }
  }

  @Test
  void aTaskThatClosesAFileSystemClosesNobodyElses() throws Exception {
    Jobs jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 2, 10);
    Job job = jobs.wordCount(OURS, 1, false);
    job.setMapperClass(Closes.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertNotSame(FileSystem.get(jobs.conf()), OF_TASK.get());
  }

  /** Ends the process. */
  public static class Exits extends Jobs.Words {
    @Override
    protected void setup(Context context) {
      System.exit(3);
    }
  }

  /** A client of its own. */
  public static final class Client {
    private Client() {}

    /** Directory and isolation. */
    public static void main(String[] arguments) throws Exception {
      Jobs jobs = new Jobs(Path.of(arguments[0]));
      jobs.conf().set("sluice.local.isolation", arguments[1]);
      Job job = jobs.wordCount(OURS, 1, false);
      job.setMapperClass(Exits.class);
      job.waitForCompletion(false);
      System.err.println("The job has ended: " + job.getStatus().getFailureInfo());
      System.exit(0);
    }
  }

  private String exitOf(String isolation, int expected) throws Exception {
    Jobs jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 1, 1);
    Path said = directory.resolve("said");
    Process client =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Client.class.getName(),
                directory.toString(),
                isolation)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    assertTrue(client.waitFor(EXIT_S, TimeUnit.SECONDS));
    String text = Files.readString(said, StandardCharsets.UTF_8);
    assertEquals(expected, client.exitValue(), text);
    return text;
  }

  @Test
  void aTaskThatExitsEndsTheClientWhichSaysSo() throws Exception {
    String said = exitOf("none", 3);
    assertTrue(said.contains("The process ends because a task has called System.exit"), said);
  }
}
