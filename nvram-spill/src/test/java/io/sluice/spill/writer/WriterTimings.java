package io.sluice.spill.writer;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;

/** Times the writer by hand: {@code WriterTimings <pool directory>}; not part of any build. */
public final class WriterTimings {
  private static final int OUTPUT_BYTES = 130_000_000;
  private static final int RECORD_BYTES = 102;
  private static final int CHUNK_BYTES = 64 << 20;

  private WriterTimings() {}

  public static void main(String[] args) throws Exception {
    Medium medium = new PlainMedium();
    long startNs = System.nanoTime();
    StoreConfig config = StoreConfig.builder(Path.of(args[0]), 512L << 20).medium(medium).build();
    try (SpillStore store = SpillStore.open(config)) {
      while (store.stats().memory().createdBytes() < 512L << 20) {
        Thread.sleep(1);
      }
      System.out.printf("one segment of 64 MiB: %.1f ms%n", (System.nanoTime() - startNs) / 8e6);
      ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
      byte[] bytes = new byte[CHUNK_BYTES];
      new Random(1).nextBytes(bytes);
      chunk.put(0, bytes);
      for (int round = 0; round < 10; round++) {
        time(store, medium, chunk, round);
      }
    }
  }

  private static void time(SpillStore store, Medium medium, ByteBuffer chunk, int round)
      throws Exception {
    long startNs = System.nanoTime();
    OutputId id = new OutputId("application_1", "attempt_" + round);
    try (Lease lease = store.openLease("application_1");
        OutputWriter writer = new OutputWriter(lease, medium, 2, 8 << 20)) {
      writer.reserveCapacity(OUTPUT_BYTES);
      for (int partition = 0; partition < 2; partition++) {
        writer.beginRun(partition);
        int from = 0;
        for (long done = 0; done < OUTPUT_BYTES / 2; done += RECORD_BYTES) {
          ByteBuffer window = writer.reserve(RECORD_BYTES);
          window.put(window.position(), chunk, from, RECORD_BYTES);
          writer.advance(RECORD_BYTES);
          from = from + RECORD_BYTES > CHUNK_BYTES - RECORD_BYTES ? 0 : from + RECORD_BYTES;
        }
        writer.endRun(0, 0);
      }
      long writtenNs = System.nanoTime();
      writer.commit(id);
      long endNs = System.nanoTime();
      System.out.printf(
          "round %d: write %.1f ms, commit %.1f ms, %.0f MB/s%n",
          round,
          (writtenNs - startNs) / 1e6,
          (endNs - writtenNs) / 1e6,
          OUTPUT_BYTES * 1e3 / (endNs - startNs));
    }
    store.freeApplication("application_1");
  }
}
