package io.sluice.spark.pool;

import io.sluice.spill.format.IndexedRun;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A run in this executor's pool, copied out of it as it is read, from where its output lies at the
 * moment; unlike a mapped one it fails once its output or the pool is gone. What it gives is not
 * verified.
 *
 * <p>Thread contract: one thread. It owns nothing.
 */
final class ExecutorRunInput implements RunInput {
  private final OutputCopier pool;
  private final long endBytes;
  private CommittedOutput output; // as it was found last
  private long logicalOffsetBytes;

  ExecutorRunInput(OutputCopier pool, CommittedOutput output, IndexedRun indexed) {
    this.pool = pool;
    this.output = output;
    this.logicalOffsetBytes = indexed.logicalOffsetBytes();
    this.endBytes = logicalOffsetBytes + indexed.run().lengthBytes();
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
    if (lengthBytes == 0) {
      return 0;
    }
    if (remainingBytes() == 0) {
      return -1;
    }
    int n = (int) Math.min(lengthBytes, remainingBytes());
    output = pool.copy(output, logicalOffsetBytes, ByteBuffer.wrap(dst, offset, n).slice());
    logicalOffsetBytes += n;
    return n;
  }

  @Override
  public long remainingBytes() {
    return endBytes - logicalOffsetBytes;
  }

  @Override
  public void close() {
    // nothing is held
  }
}
