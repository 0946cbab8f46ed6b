package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.OutputIndex;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A task that drains its buffers all the time, because Spark grants it no memory. */
class JoinedRunsTest {
  private static final int SHUFFLE = 4;
  private static final long MAP = 17;
  private static final int PARTITIONS = 7;
  private static final int NEVER_WRITTEN = 5;
  private static final int MAX_RUNS = 20;
  private static final int CHUNKS = 200;
  private static final int LONGEST_CHUNK_BYTES = 40_000; // more than a block of checksums

  @TempDir private Path base;
  private ExecutorPool pool;

  /** The key of outputs; null if they are not encrypted. */
  ShuffleKey key() {
    return null;
  }

  @BeforeEach
  void open() throws IOException {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", base.toString())
            .set("spark.sluice.pool.capacity", "2m")
            .set("spark.sluice.pool.segmentSize", "1m");
    ApplicationSecret.create(conf);
    pool =
        ExecutorPool.open(
            conf,
            new ExecutorTransports(conf),
            key(),
            "app-1",
            "7",
            List.of(base.resolve("local")));
  }

  @AfterEach
  void close() throws IOException {
    pool.close();
  }

  private MapOutput newOutput() throws IOException {
    return pool.newOutput(pool.begin(SHUFFLE), MAP, PARTITIONS, MAX_RUNS);
  }

  /** Writes chunks, some of them to the disk tier, and returns the bytes of each partition. */
  private List<ByteArrayOutputStream> write(MapOutput output, Random random) throws IOException {
    List<ByteArrayOutputStream> expected = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      expected.add(new ByteArrayOutputStream());
    }
    for (int i = 0; i < CHUNKS; i++) {
      int partition = random.nextInt(PARTITIONS);
      byte[] bytes = new byte[1 + random.nextInt(LONGEST_CHUNK_BYTES)];
      random.nextBytes(bytes);
      if (partition != NEVER_WRITTEN) {
        output.append(partition, ByteBuffer.wrap(bytes), 1);
        expected.get(partition).write(bytes);
        assertTrue(output.runCount() <= MAX_RUNS, output.runCount() + " runs");
      }
    }
    return expected;
  }

  @Test
  void theirRunsAreJoinedBeforeThereAreTooMany() throws IOException {
    long mappedBytes = OffHeap.mappedBytes();
    List<ByteArrayOutputStream> expected;
    try (MapOutput output = newOutput()) {
      expected = write(output, TestSeed.random());
      output.commit();
    }
    for (int partition = 0; partition < PARTITIONS; partition++) {
      byte[] bytes = expected.get(partition).toByteArray();
      ExecutorBlock block = pool.block(SHUFFLE, MAP, partition, partition + 1).orElseThrow();
      assertArrayEquals(bytes, block.nioByteBuffer().array());
    }
    pool.free(SHUFFLE);
    assertNothingIsLeft();
    assertTrue(OffHeap.mappedBytes() - mappedBytes <= 2 << 20, "only the pool is mapped");
  }

  @Test
  void nothingIsLeftOfThemWithoutACommit() throws IOException {
    try (MapOutput output = newOutput()) {
      write(output, new Random(1));
    }
    assertNothingIsLeft();
  }

  private void assertNothingIsLeft() {
    assertEquals(0, pool.stats().outputs());
    assertEquals(0, pool.stats().memory().usedBytes());
    assertEquals(0, pool.stats().disk().usedBytes());
  }

  @Test
  void theIndexHasRoomForAsManyAsThereMayBe() {
    for (int partitions : new int[] {1, 2_000, 100_000, 560_000}) {
      assertTrue(MapOutput.canHold(partitions));
      int maxRuns = MapOutput.maxRuns(partitions);
      assertTrue(maxRuns >= 2 * partitions && maxRuns <= OutputIndex.maxRuns(partitions));
      long furtherCrcs = (60L << 30) / BlockChecksums.BLOCK_BYTES;
      long indexBytes = OutputIndex.encodedBytes(partitions, maxRuns, furtherCrcs);
      assertTrue(indexBytes <= FooterLayout.MAX_BYTES, partitions + " partitions");
    }
    assertFalse(MapOutput.canHold(1 << 24));
  }
}
