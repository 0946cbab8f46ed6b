package io.sluice.spill.testing;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * An output of random bytes and what is expected of it.
 *
 * @param id its name in the application
 * @param partitionCount how many partitions it has
 * @param partitions of each run, the partition
 * @param runs of each run, the bytes
 */
public record TestOutput(
    String id, int partitionCount, List<Integer> partitions, List<byte[]> runs) {
  private static final int LEASE_BYTES = 256 << 10;

  /** What runs tell of their chunks, so that it is seen on its way. */
  private static final int CHUNK_BYTES = 32 << 10;

  /** Several spills of about {@code totalBytes} in sum, with empty partitions and empty runs. */
  public static TestOutput random(Random random, String id, int partitionCount, int totalBytes) {
    List<Integer> partitions = new ArrayList<>();
    List<byte[]> runs = new ArrayList<>();
    int spills = 1 + random.nextInt(3);
    for (int spill = 0; spill < spills; spill++) {
      for (int partition = 0; partition < partitionCount; partition++) {
        if (random.nextInt(4) > 0) {
          partitions.add(partition);
          runs.add(bytes(random, random.nextInt(2 * totalBytes / spills / partitionCount + 1)));
        }
      }
    }
    return new TestOutput(id, partitionCount, partitions, runs);
  }

  /** One run of one partition. */
  public static TestOutput single(Random random, String id, int lengthBytes) {
    return new TestOutput(id, 1, List.of(0), List.of(bytes(random, lengthBytes)));
  }

  private static byte[] bytes(Random random, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    random.nextBytes(bytes);
    return bytes;
  }

  /** The runs of one partition, in order. */
  public List<byte[]> of(int partition) {
    List<byte[]> of = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      if (partitions.get(i) == partition) {
        of.add(runs.get(i));
      }
    }
    return of;
  }

  /** Bytes of all runs. */
  public long totalBytes() {
    return runs.stream().mapToLong(run -> run.length).sum();
  }

  /** Writes and commits it as a task does. */
  public void commit(String applicationId, ExtentSource source) throws IOException {
    try (OutputWriter writer =
        new OutputWriter(source, new PlainMedium(), partitionCount, LEASE_BYTES)) {
      for (int i = 0; i < runs.size(); i++) {
        writer.beginRun(partitions.get(i));
        writer.write(runs.get(i), 0, runs.get(i).length);
        writer.endRun(runs.get(i).length, CHUNK_BYTES, 1);
      }
      writer.commit(new OutputId(applicationId, id));
    }
  }
}
