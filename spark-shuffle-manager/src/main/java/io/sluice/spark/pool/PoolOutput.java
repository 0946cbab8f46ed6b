package io.sluice.spark.pool;

import io.sluice.node.local.LocalClient;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.writer.OutputWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The output of one map task on its way into the pool. A partition's bytes may come in several
 * pieces; readers get them one after the other.
 *
 * <p>Thread contract: one thread. Ownership: the writer closes it; without a commit nothing of it
 * exists.
 */
public final class PoolOutput implements Closeable {
  static final long LEASE_BYTES = 4L << 20;

  private final ExecutorPool pool;
  private final int shuffleId;
  private final LocalClient client;
  private final OutputWriter writer;
  private final OutputId id;
  private long writtenBytes;

  PoolOutput(
      ExecutorPool pool, int shuffleId, LocalClient client, OutputWriter writer, OutputId id) {
    this.pool = pool;
    this.shuffleId = shuffleId;
    this.client = client;
    this.writer = writer;
    this.id = id;
  }

  /** Says how many bytes come next, so that they are leased at once. */
  public void reserve(long lengthBytes) throws IOException {
    writer.reserveCapacity(lengthBytes);
  }

  /** Appends a piece to a partition. */
  public long append(int partition, List<ByteBuffer> piece, long records) throws IOException {
    writer.beginRun(partition);
    long lengthBytes = 0;
    for (ByteBuffer bytes : piece) {
      lengthBytes += bytes.remaining();
      writer.write(bytes);
    }
    Run run = writer.endRun(lengthBytes, records);
    writtenBytes += run.lengthBytes();
    return run.lengthBytes();
  }

  /** Makes all of it visible at once; of a shuffle that was freed meanwhile, nothing stays. */
  public void commit() throws IOException {
    writer.commit(id);
    pool.committed(shuffleId, writtenBytes);
  }

  @Override
  public void close() throws IOException {
    try (client) {
      writer.close();
    }
  }
}
