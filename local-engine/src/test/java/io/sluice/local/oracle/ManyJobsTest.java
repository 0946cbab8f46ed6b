package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.Leftovers;
import io.sluice.memory.store.ProcessStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One small job after the other, and some at a time: the process holds no more for it. */
@Tag("slow")
class ManyJobsTest extends OracleTestBase {
  private static final int AT_A_TIME = 8;
  private static final int FIRST = 16;
  private static final long SEGMENT_BYTES = 16 << 20;

  /** What it differs by from one collection to the next, and no more for a thousand jobs. */
  private static final long HEAP_BYTES = 8 << 20;

  @BeforeEach
  void write() throws IOException {
    inputs.files("lines", 2, 50, 20);
  }

  /** What the process holds; its own class files and libraries aside. */
  private record Held(
      long storeFiles, long files, long maps, List<String> threads, long heapBytes) {
    static Held now() throws IOException {
      return new Held(
          descriptors(Held::isOfStore),
          descriptors(name -> !isOfStore(name)),
          mappings(),
          threadNames(),
          usedHeapBytes());
    }

    /** The JDK's own, that wait for processes which stock starts, go a minute later. */
    private static List<String> threadNames() {
      return Thread.getAllStackTraces().keySet().stream()
          .map(Thread::getName)
          .filter(name -> !name.equals("process reaper"))
          .sorted()
          .toList();
    }

    private static boolean isOfStore(String name) {
      return name.contains("sluice");
    }

    private static long descriptors(Predicate<String> which) throws IOException {
      try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
        return all.map(Held::target).filter(name -> !name.isEmpty()).filter(which).count();
      }
    }

    private static String target(Path descriptor) {
      try {
        String target = Files.readSymbolicLink(descriptor).toString();
        return target.endsWith(".jar") ? "" : target;
      } catch (java.nio.file.NoSuchFileException e) {
        return ""; // that of the list itself
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static long mappings() throws IOException {
      try (Stream<String> all = Files.lines(Path.of("/proc/self/maps"))) {
        return all.filter(line -> !line.endsWith(".jar") && isOfStore(line)).count();
      }
    }

    private static long usedHeapBytes() {
      System.gc();
      return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
  }

  private Job job(int number) throws Exception {
    Job job =
        oracle.ours(
            settings -> Tasks.digests(inputs.job(settings, "lines"), 2),
            Oracle.EXCHANGES.get(number % Oracle.EXCHANGES.size()),
            2);
    FileOutputFormat.setOutputPath(
        job, new org.apache.hadoop.fs.Path(directory.resolve("many" + number).toUri()));
    return job;
  }

  private void run(int from, int to, int atATime) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(atATime);
    try {
      List<Future<Void>> all = new ArrayList<>();
      for (int i = from; i < to; i++) {
        int number = i;
        all.add(
            pool.submit(
                () -> {
                  Job job = job(number);
                  assertTrue(job.waitForCompletion(false), () -> Oracle.failure(job));
                  job.close();
                  return null;
                }));
      }
      for (Future<Void> each : all) {
        each.get();
      }
    } finally {
      pool.shutdownNow();
    }
    assertTrue(pool.awaitTermination(1, TimeUnit.MINUTES)); // its threads are counted, too
    Leftovers.none(oracle.conf(), directory.resolve("tmp"));
  }

  private void manyJobs(int jobs) throws Exception {
    run(0, FIRST / 2, 1);
    run(FIRST / 2, FIRST, AT_A_TIME);
    Held first = Held.now();
    run(FIRST, jobs / 2, 1);
    run(jobs / 2, jobs, AT_A_TIME);
    Held last = Held.now();
    System.out.println("After " + FIRST + " jobs " + first + ", after " + jobs + " " + last);
    // The store grows with what is used of it at once, by segments that it keeps.
    long segments = ProcessStore.of(oracle.conf()).stats().memory().createdBytes() / SEGMENT_BYTES;
    assertTrue(last.storeFiles <= first.storeFiles + segments, last::toString);
    assertTrue(last.maps <= first.maps + segments, last::toString);
    assertTrue(last.files <= first.files, () -> first + ", then " + last);
    assertTrue(last.threads.size() <= first.threads.size(), () -> first + ", then " + last);
    assertTrue(
        last.heapBytes <= first.heapBytes + HEAP_BYTES, () -> "heap: " + first + ", then " + last);
  }

  @ParameterizedTest
  @ValueSource(ints = 60)
  void sixtyJobsLeaveNothing(int jobs) throws Exception {
    manyJobs(jobs);
  }

  @ParameterizedTest
  @ValueSource(ints = 1_000)
  @Tag("campaign")
  void aThousandJobsLeaveNothing(int jobs) throws Exception {
    manyJobs(jobs);
  }
}
