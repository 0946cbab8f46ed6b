package io.sluice.spark.pool;

import io.sluice.spill.format.IndexedRun;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.ChecksumException;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of a block, copied out of the pool a window at a time, and verified before any of them
 * is handed on.
 *
 * <p>Thread contract: one thread. Failure: {@link DamagedBlockException}; another {@link
 * IOException} once the output or the pool is gone.
 */
final class ExecutorBlockStream extends InputStream {
  static final int WINDOW_BYTES = 64 << 10;

  private final OutputCopier pool;
  private final CommittedOutput output;
  private final List<IndexedRun> runs;
  private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);
  private RunInput input;
  private int nextRun;

  ExecutorBlockStream(OutputCopier pool, CommittedOutput output, List<IndexedRun> runs) {
    this.pool = pool;
    this.output = output;
    this.runs = runs;
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

  /** Reads all that is left and keeps nothing of it. */
  void verify() throws IOException {
    while (fill()) {
      window.position(window.limit());
    }
  }

  @Override
  public int available() {
    return window.remaining();
  }

  /** Whether there is a byte in the window, after filling it if need be. */
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
        n = input.read(window.array(), 0, WINDOW_BYTES);
      } catch (ChecksumException e) {
        throw new DamagedBlockException(e);
      }
      if (n < 0) {
        input = null;
      } else {
        window.limit(n).position(0);
      }
    }
    return true;
  }

  private RunInput open(IndexedRun indexed) {
    Run run = indexed.run();
    return new VerifiedRunInput(
        output.id() + " partition " + run.partition() + " in this executor's pool",
        new ExecutorRunInput(pool, output, indexed),
        run.lengthBytes(),
        run.checksums());
  }
}
