package io.sluice.spark.pool;

import io.sluice.spark.pool.FreedShuffles.Attempt;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.writer.OutputWriter;
import java.io.Closeable;
import java.io.IOException;

/**
 * The output of one map task on its way into the pool. A partition's bytes may come in several
 * pieces; readers get them one after the other.
 *
 * <p>Thread contract: one thread. Ownership: the writer closes it; without a commit nothing of it
 * exists.
 */
public final class PoolOutput implements Closeable {
  /** How much is leased at least. */
  public static final long LEASE_BYTES = 4L << 20;

  private final OutputPool pool;
  private final Attempt attempt;
  private final Closeable lease;
  private final OutputWriter writer;
  private final OutputId id;
  private long writtenBytes;

  /** Owns lease and writer from now on. */
  public PoolOutput(
      OutputPool pool, Attempt attempt, Closeable lease, OutputWriter writer, OutputId id) {
    this.pool = pool;
    this.attempt = attempt;
    this.lease = lease;
    this.writer = writer;
    this.id = id;
  }

  /** Appends a piece to a partition. */
  public long append(int partition, Piece piece) throws IOException {
    int lengthBytes = piece.bytes().remaining();
    pool.whileOpen(
        () -> writer.writeRun(partition, piece.bytes(), piece.checksums(), piece.records()));
    writtenBytes += lengthBytes;
    return lengthBytes;
  }

  /** Makes all of it visible at once; of a shuffle that was freed meanwhile, nothing stays. */
  public void commit() throws IOException {
    pool.whileOpen(() -> writer.commit(id));
    pool.committed(attempt, id, writtenBytes);
  }

  @Override
  public void close() throws IOException {
    try (lease) {
      writer.close();
    }
  }
}
