package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeAddress;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spark.pool.Piece;
import io.sluice.spark.pool.PoolOutput;
import io.sluice.spill.format.BlockChecksums;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks of several runs, one of them damaged: whatever was read ahead is given back. */
class PoolFetchTest {
  private static final int PIECE_BYTES = 100_000;
  private static final int RUNS = 3;

  @TempDir private Path base;
  private final SparkConf conf = new SparkConf(false);
  private ExecutorPool pool;

  @BeforeEach
  void open() throws IOException {
    conf.set("spark.app.id", "app-1")
        .set("spark.sluice.pool.dir", base.toString())
        .set("spark.sluice.pool.capacity-mb", "4")
        .set("spark.sluice.pool.segment-mb", "1")
        .set("spark.sluice.io.timeout-ms", "10000");
    ApplicationSecret.create(conf);
    pool =
        ExecutorPool.open(
            conf, new ExecutorTransports(conf), "app-1", "1", List.of(base.resolve("local")));
  }

  @AfterEach
  void close() throws IOException {
    pool.close();
  }

  private void write(int mapId, int damagedRun) throws IOException {
    try (PoolOutput output = pool.newOutput(pool.begin(0), mapId, 1)) {
      for (int run = 0; run < RUNS; run++) {
        ByteBuffer summed = ByteBuffer.allocate(PIECE_BYTES);
        summed.put(PIECE_BYTES - 1, (byte) (run == damagedRun ? 1 : 0));
        BlockChecksums checksums = BlockChecksums.of(summed);
        output.append(0, new Piece(ByteBuffer.allocate(PIECE_BYTES), 1, checksums));
      }
      output.commit();
    }
  }

  private NodeAddress address() {
    return new NodeAddress(
        "peer", new InetSocketAddress(InetAddress.getLoopbackAddress(), pool.controlPort()));
  }

  /** More often than there are windows; a window that is out when the reader closes fails that. */
  @Test
  void aDamagedRunCostsNoWindowOfTheNextOne() throws IOException {
    for (int damaged = 0; damaged < RUNS; damaged++) {
      write(damaged, damaged);
    }
    write(RUNS, RUNS); // this one is whole
    try (PeerPools peers =
        new PeerPools(conf, new ExecutorTransports(conf), new ShuffleCounters())) {
      for (int i = 0; i < 18; i++) {
        BlockRange damaged = BlockRange.of("shuffle_0_" + i % RUNS + "_0").orElseThrow();
        PoolFetch fetch = new PoolFetch(peers.reader(), address(), List.of(damaged));
        IOException e =
            assertThrows(IOException.class, () -> fetch.run((block, bytes) -> assertTrue(false)));
        assertTrue(e.getMessage().contains("CRC"), e.getMessage());
      }
      BlockRange whole = BlockRange.of("shuffle_0_" + RUNS + "_0").orElseThrow();
      new PoolFetch(peers.reader(), address(), List.of(whole))
          .run((block, bytes) -> assertTrue(bytes.size() == RUNS * PIECE_BYTES));
    }
  }
}
