package io.sluice.spill.store;

import io.sluice.rdma.testing.UsedHeap;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Measures the heap that a store keeps for its outputs: {@code OutputHeap DIRECTORY OUTPUTS
 * PARTITIONS}, in a JVM of its own. Each partition has a run, each output one extent.
 */
public final class OutputHeap {
  private static final int SEGMENT_BYTES = 64 << 20;
  private static final int BLOCK_BYTES = 4 << 10;
  private static final int RUN_BYTES = 16;

  private OutputHeap() {}

  /** Prints the bytes for each output. */
  public static void main(String[] arguments) throws IOException {
    int outputs = Integer.parseInt(arguments[1]);
    int partitions = Integer.parseInt(arguments[2]);
    long bytes = bytesPerOutput(Path.of(arguments[0]), outputs, partitions);
    System.out.printf(
        "%,d outputs of %,d partitions: %,d bytes of heap for each output%n",
        outputs, partitions, bytes);
  }

  /** Commits so many outputs into a new pool, and says what each has added to the heap. */
  static long bytesPerOutput(Path directory, int outputs, int partitions) throws IOException {
    // Run, partition and tail: 56 bytes each, and some.
    long outputBytes = 100L * partitions + 8L * BLOCK_BYTES;
    long capacityBytes = (outputs * outputBytes / SEGMENT_BYTES + 2) * SEGMENT_BYTES;
    StoreConfig config =
        StoreConfig.builder(directory, capacityBytes).geometry(SEGMENT_BYTES, BLOCK_BYTES).build();
    try (SpillStore store = SpillStore.open(config)) {
      commit(store, 0, partitions); // with its classes
      long before = UsedHeap.bytes();
      for (int i = 1; i <= outputs; i++) {
        commit(store, i, partitions);
      }
      long perOutput = (UsedHeap.bytes() - before) / outputs;
      store.freeApplication("application_1700000000000_0001");
      return perOutput;
    }
  }

  private static void commit(SpillStore store, int number, int partitions) throws IOException {
    byte[] run = new byte[RUN_BYTES];
    try (Lease lease = store.openLease("application_1700000000000_0001");
        OutputWriter writer =
            new OutputWriter(
                lease, new PlainMedium(), partitions, 80L * partitions + 4L * BLOCK_BYTES)) {
      for (int partition = 0; partition < partitions; partition++) {
        writer.beginRun(partition);
        writer.write(run, 0, run.length);
        writer.endRun(run.length, 1);
      }
      writer.commit(
          new OutputId(
              "application_1700000000000_0001",
              "attempt_1700000000000_0001_m_%06d_0".formatted(number)));
    }
  }
}
