package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spill.store.OpenFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tasks of an executor that Spark kills, by an interrupt at any step; the others go on as if
 * nothing were, and nothing that the killed ones held stays.
 */
@Tag("slow")
class InterruptedTaskTest {
  private static final int THREADS = 3;
  private static final int ATTEMPTS = 500;
  private static final int LONGEST_STEPS = 24;
  private static final int PARTITIONS = 3;

  @TempDir private Path base;

  @AfterEach
  void clearFlag() {
    Thread.interrupted();
  }

  private SparkConf conf() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", base.toString())
            .set("spark.sluice.pool.capacity", "2m")
            .set("spark.sluice.pool.segmentSize", "1m");
    ApplicationSecret.create(conf);
    return conf;
  }

  private ExecutorPool open(SparkConf conf) throws IOException {
    return ExecutorPool.open(
        conf, new ExecutorTransports(conf), null, "app-1", "7", List.of(base.resolve("local")));
  }

  @Test
  void aTaskThatIsBeingKilledOpensThePoolForTheOthers() throws Exception {
    SparkConf conf = conf(); // loads what an interrupt would keep from loading: Log4j
    Thread.currentThread().interrupt();
    try (ExecutorPool pool = open(conf)) {
      assertTrue(Thread.interrupted());
      new Task(pool, 1, new Random(1)).undisturbed();
    }
  }

  @Test
  void onlyKilledTasksNotice() throws Exception {
    Random seeds = TestSeed.random();
    long allocatedBefore = OffHeap.allocatedBytes();
    long mappedBefore = OffHeap.mappedBytes();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (ExecutorPool pool = open(conf())) {
      int openBefore = OpenFiles.below(base);
      List<Task> tasks = new ArrayList<>();
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        tasks.add(new Task(pool, i, new Random(seeds.nextLong())));
        ends.add(threads.submit(tasks.get(i)::run, null));
      }
      for (Future<?> end : ends) {
        get(end);
      }
      int interrupted = tasks.stream().mapToInt(task -> task.interrupts).sum();
      assertTrue(interrupted > THREADS * ATTEMPTS / 4, "interrupted " + interrupted);
      assertEquals(0, pool.stats().memory().leasedBytes());
      assertEquals(0, pool.stats().memory().usedBytes());
      assertEquals(0, pool.stats().disk().createdBytes());
      int segments = (int) (pool.stats().memory().createdBytes() >> 20);
      int openNow = OpenFiles.below(base);
      assertTrue(openNow <= openBefore + segments, "open files " + openNow);
    } finally {
      threads.shutdownNow();
      assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    }
    assertEquals(0, OpenFiles.below(base));
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
    assertEquals(mappedBefore, OffHeap.mappedBytes());
  }

  private static void get(Future<?> end) throws Exception {
    try {
      end.get(120, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  /** Writes, reads and frees, one output after the other. */
  private static final class Task {
    private final ExecutorPool pool;
    private final int shuffle;
    private final Random random;
    private int stepsToLive;
    private int interrupts;

    Task(ExecutorPool pool, int shuffle, Random random) {
      this.pool = pool;
      this.shuffle = shuffle;
      this.random = random;
    }

    void run() {
      for (int i = 0; i < ATTEMPTS; i++) {
        boolean doomed = random.nextInt(3) > 0;
        stepsToLive = doomed ? 1 + random.nextInt(LONGEST_STEPS) : Integer.MAX_VALUE;
        try {
          attempt(i);
        } catch (IOException | RuntimeException e) {
          if (!Thread.currentThread().isInterrupted()) {
            throw new AssertionError("not killed, and yet it failed", e);
          }
        }
        free();
        interrupts += Thread.interrupted() ? 1 : 0;
      }
    }

    void undisturbed() throws IOException {
      stepsToLive = Integer.MAX_VALUE;
      attempt(0);
      free();
    }

    private void step() {
      if (--stepsToLive == 0) {
        Thread.currentThread().interrupt();
      }
    }

    private void attempt(int map) throws IOException {
      byte[][] chunks = new byte[1 + random.nextInt(6)][];
      step();
      MapOutput output = pool.newOutput(pool.begin(shuffle), map, PARTITIONS);
      try {
        for (int i = 0; i < chunks.length; i++) {
          chunks[i] = new byte[1 + random.nextInt(200_000)];
          random.nextBytes(chunks[i]);
          step();
          output.append(i % PARTITIONS, ByteBuffer.wrap(chunks[i]), 1);
        }
        step();
        output.commit();
      } finally {
        cleanUp(output);
      }
      for (int partition = 0; partition < PARTITIONS; partition++) {
        step();
        check(map, partition, chunks);
      }
    }

    private void check(int map, int partition, byte[][] chunks) throws IOException {
      ByteBuffer expected = ByteBuffer.allocate(6 * 200_000);
      for (int i = partition; i < chunks.length; i += PARTITIONS) {
        expected.put(chunks[i]);
      }
      byte[] bytes = new byte[expected.flip().remaining()];
      expected.get(bytes);
      ExecutorBlock block = pool.block(shuffle, map, partition, partition + 1).orElseThrow();
      step();
      try (InputStream stream = block.createInputStream()) {
        assertArrayEquals(bytes, stream.readAllBytes());
      }
      assertArrayEquals(bytes, block.nioByteBuffer().array());
    }

    private static void cleanUp(MapOutput output) {
      try {
        output.close();
      } catch (IOException | RuntimeException e) {
        throw new AssertionError("cleaning up failed", e);
      }
    }

    private void free() {
      try {
        pool.free(shuffle);
      } catch (IOException | RuntimeException e) {
        throw new AssertionError("freeing failed", e);
      }
    }
  }
}
