package io.sluice.spark.pool;

import io.sluice.spark.pool.FreedShuffles.Attempt;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.store.Lease;
import io.sluice.spill.writer.OutputWriter;
import io.sluice.spill.writer.ScratchRun;
import io.sluice.spill.writer.ScratchRuns;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A whole output that another executor moves into this pool. Unlike a {@link MapOutput}'s, its
 * bytes come before it is known where its partitions end; so they lie in the pool as one run until
 * then, and are copied within it.
 *
 * <p>Thread contract: one thread at a time. Ownership: whoever receives it closes it; without a
 * commit nothing of it exists. Failure: {@link IOException}; nothing is left to do then but to
 * close it.
 */
public final class ReceivedOutput implements Closeable {
  private static final int COPY_BYTES = 64 << 10;
  private static final int WINDOW_BYTES = 1 << 20;

  private final PoolGuard pool;
  private final Attempt attempt;
  private final Lease lease;
  private final Medium medium;
  private final OutputId id;
  private final ScratchRuns received;

  ReceivedOutput(PoolGuard pool, Attempt attempt, Lease lease, Medium medium, OutputId id) {
    this.pool = pool;
    this.attempt = attempt;
    this.lease = lease;
    this.medium = medium;
    this.id = id;
    this.received = new ScratchRuns(WriteTarget.mapped(lease, medium), MapOutput.LEASE_BYTES);
  }

  /** The shuffle that it is of. */
  public int shuffleId() {
    return attempt.shuffleId();
  }

  /** Appends bytes. */
  public void write(ByteBuffer bytes) throws IOException {
    received.write(bytes);
  }

  /** How many bytes have come. */
  public long lengthBytes() {
    return received.lengthBytes();
  }

  /**
   * Makes all of it visible at once, in place of what had its name before; of a shuffle that was
   * freed meanwhile, nothing stays.
   *
   * @param partitionBytes the lengths of its partitions, whose bytes lie in this order
   */
  public void commit(long[] partitionBytes) throws IOException {
    ScratchRun all = received.endRun();
    try (OutputWriter partitioned =
            new OutputWriter(
                new ReplacingSource(lease), medium, partitionBytes.length, MapOutput.LEASE_BYTES);
        RunInput bytes = received.open(id + " as it was received", all, WINDOW_BYTES)) {
      partitioned.reserveCapacity(all.lengthBytes());
      for (int partition = 0; partition < partitionBytes.length; partition++) {
        if (partitionBytes[partition] > 0) {
          partitioned.beginRun(partition);
          copy(bytes, partitioned, partitionBytes[partition]);
          partitioned.endRun(partitionBytes[partition], 0);
        }
      }
      if (bytes.remainingBytes() > 0) {
        throw new IOException(
            id + " has " + bytes.remainingBytes() + " bytes more than its partitions");
      }
      partitioned.commit(id);
    }
    pool.committed(attempt, id, 0);
  }

  private void copy(RunInput from, OutputWriter to, long partitionBytes) throws IOException {
    byte[] window = new byte[COPY_BYTES];
    long leftBytes = partitionBytes;
    while (leftBytes > 0) {
      int n = from.read(window, 0, (int) Math.min(window.length, leftBytes));
      if (n < 0) {
        throw new EOFException(
            id + " has " + lengthBytes() + " bytes, " + leftBytes + " less than its partitions");
      }
      to.write(window, 0, n);
      leftBytes -= n;
    }
  }

  @Override
  public void close() throws IOException {
    try (lease) {
      received.close();
    }
  }
}
