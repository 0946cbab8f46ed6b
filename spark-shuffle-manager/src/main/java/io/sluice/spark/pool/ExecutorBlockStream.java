package io.sluice.spark.pool;

import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.cipher.RunKey;
import io.sluice.spill.format.OutputIndex.IndexedRun;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ChecksumException;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Reads a block of the executor's pool. It copies one window at a time, verifies it, and decrypts
 * it if it is encrypted, before it gives out any byte of it.
 *
 * <p>Thread contract: one thread. Failure: {@link DamagedBlockException}; another {@link
 * IOException} once the output or the pool is gone.
 */
final class ExecutorBlockStream extends InputStream {
  static final int WINDOW_BYTES = 64 << 10;

  private final ExecutorPool pool;
  private final CommittedOutput output;
  private final List<IndexedRun> runs;
  private final RunKey key;
  private final ByteBuffer window;
  private RunInput input;
  private int nextRun;

  /**
   * The window is no longer than the block. Most blocks of a large shuffle are short, and clearing
   * a longer window would be most of the work of reading them.
   *
   * @param key null if the runs are not encrypted
   * @param lengthBytes of the whole block
   */
  ExecutorBlockStream(
      ExecutorPool pool,
      CommittedOutput output,
      List<IndexedRun> runs,
      RunKey key,
      long lengthBytes) {
    this.window =
        ByteBuffer.allocate((int) Math.max(1, Math.min(WINDOW_BYTES, lengthBytes))).limit(0);
    this.pool = pool;
    this.output = output;
    this.runs = runs;
    this.key = key;
  }

  @Override
  public int read() throws IOException {
    return fill() ? window.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] destination, int offset, int lengthBytes) throws IOException {
    if (lengthBytes == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int n = Math.min(lengthBytes, window.remaining());
    window.get(destination, offset, n);
    return n;
  }

  /** Reads the rest and drops it. */
  void verify() throws IOException {
    while (fill()) {
      window.position(window.limit());
    }
  }

  @Override
  public int available() {
    return window.remaining();
  }

  /** Fills the window if it is empty; false at the end of the block. */
  private boolean fill() throws IOException {
    while (!window.hasRemaining()) {
      if (input == null) {
        if (nextRun == runs.size()) {
          return false;
        }
        input = open(runs.get(nextRun++));
      }
      int n;
      try {
        n = input.read(window.array(), 0, window.capacity());
      } catch (ChecksumException | ForgedRunException e) {
        throw new DamagedBlockException(e);
      }
      if (n < 0) {
        input.close();
        input = null;
      } else {
        window.limit(n).position(0);
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    nextRun = runs.size();
    window.limit(0);
    if (input != null) {
      input.close();
      input = null;
    }
  }

  private RunInput open(IndexedRun indexed) {
    Run run = indexed.run();
    String name = output.id() + " partition " + run.partition() + " in this executor's pool";
    RunInput verified =
        new VerifiedRunInput(
            name, new ExecutorRunInput(pool, output, indexed), run.lengthBytes(), run.checksums());
    return key == null
        ? verified
        : new DecryptedRunInput(
            name, verified, run.lengthBytes(), key, run.partition(), run.ordinal());
  }

  /**
   * A run in this executor's pool. A read copies its bytes from where the output lies at that
   * moment. Unlike a mapped run, it fails once its output or the pool is gone. The bytes are not
   * verified.
   *
   * <p>Thread contract: one thread. It owns nothing.
   */
  static final class ExecutorRunInput implements RunInput {
    private final ExecutorPool pool;
    private final long endBytes;
    private CommittedOutput output; // where the last read found it
    private long logicalOffsetBytes;

    ExecutorRunInput(ExecutorPool pool, CommittedOutput output, IndexedRun indexed) {
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
}
