package io.sluice.spark.pool;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.OutputTarget.Attempt;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.RunEncoder;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.store.Lease;
import io.sluice.spill.writer.OutputWriter;
import io.sluice.spill.writer.ScratchRuns;
import io.sluice.spill.writer.ScratchRuns.ScratchRun;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.stream.LongStream;

/**
 * A whole output that another executor moves into this pool. Unlike for a {@link MapOutput}, the
 * bytes come before the lengths of the partitions. So they lie in the pool as one run until then,
 * and are copied within the pool.
 *
 * <p>Thread contract: one thread at a time. Ownership: {@code IncomingOutputs} closes it; without a
 * commit nothing of it exists. Failure: {@link IOException}; after that it can only be closed.
 */
public final class ReceivedOutput implements Closeable {
  private static final int COPY_BYTES = 64 << 10;
  private static final int WINDOW_BYTES = 1 << 20;

  private final OutputTarget pool;
  private final Attempt attempt;
  private final Lease lease;
  private final Medium medium;
  private final OutputId id;
  private final ShuffleKey key;
  private final ScratchRuns received;
  private OutputKey receivedKey;
  private RunEncryptor receivedEncryptor;
  private long lengthBytes;

  /** {@code key} is null if outputs are not encrypted. */
  ReceivedOutput(
      OutputTarget pool, Attempt attempt, Lease lease, Medium medium, OutputId id, ShuffleKey key) {
    this.pool = pool;
    this.attempt = attempt;
    this.lease = lease;
    this.medium = medium;
    this.id = id;
    this.key = key;
    this.received = new ScratchRuns(WriteTarget.mapped(lease, medium), MapOutput.LEASE_BYTES);
  }

  /** The shuffle of the output. */
  public int shuffleId() {
    return attempt.shuffleId();
  }

  /** Appends bytes. */
  public void write(ByteBuffer bytes) throws IOException {
    lengthBytes += bytes.remaining();
    if (key == null) {
      received.write(bytes);
      return;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    encryptor().write(copy, 0, copy.length);
  }

  /** Encrypts the received bytes until the lengths of the partitions are known. */
  private RunEncryptor encryptor() {
    if (receivedEncryptor == null) {
      receivedKey = key.newScratch();
      receivedEncryptor = new RunEncryptor(receivedKey, received::write);
      receivedEncryptor.beginRun(0);
    }
    return receivedEncryptor;
  }

  /** Number of bytes received. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /**
   * Makes the whole output visible at once, and replaces an output of the same name. If its shuffle
   * was freed meanwhile, the output is freed.
   *
   * @param partitionBytes lengths of the partitions, in the order of their bytes
   */
  public void commit(long[] partitionBytes) throws IOException {
    long partitionsBytes = LongStream.of(partitionBytes).sum();
    if (lengthBytes > partitionsBytes) {
      throw new IOException(
          id + " has " + (lengthBytes - partitionsBytes) + " bytes more than its partitions");
    }
    try (OutputWriter partitioned =
            new OutputWriter(
                new ReplacingSource(lease), medium, partitionBytes.length, MapOutput.LEASE_BYTES);
        OutputKey outputKey = key == null ? null : key.newOutput(id, partitionBytes.length);
        RunInput bytes = openReceived()) {
      RunEncryptor encryptor =
          outputKey == null ? null : new RunEncryptor(outputKey, partitioned::write);
      partitioned.reserveCapacity(received.lengthBytes());
      for (int partition = 0; partition < partitionBytes.length; partition++) {
        if (partitionBytes[partition] > 0) {
          partitioned.beginRun(partition);
          if (encryptor == null) {
            copy(bytes, partitioned::write, partitionBytes[partition]);
          } else {
            encryptor.beginRun(partition);
            copy(bytes, encryptor::write, partitionBytes[partition]);
            encryptor.endRun();
          }
          partitioned.endRun(partitionBytes[partition], 0);
        }
      }
      partitioned.commit(id);
    }
    pool.committed(attempt, id, 0);
  }

  /** The received bytes, from the first one. */
  private RunInput openReceived() throws IOException {
    if (key != null) {
      encryptor().endRun();
    }
    String name = id + " as it was received";
    ScratchRun all = received.endRun();
    RunInput stored = received.open(name, all, WINDOW_BYTES);
    return key == null
        ? stored
        : new DecryptedRunInput(name, stored, all.lengthBytes(), receivedKey, 0, 0);
  }

  private void copy(RunInput from, RunEncoder.Sink to, long partitionBytes) throws IOException {
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
    Closer.all(received, receivedKey, lease);
  }
}
