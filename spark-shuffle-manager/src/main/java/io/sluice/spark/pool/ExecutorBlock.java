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
 * A block in this executor's pool. A read copies its bytes, one window at a time, so a block that
 * outlives the pool or its output fails instead of giving other bytes. Each window is verified
 * before any byte of it is given out.
 *
 * <p>Thread contract and ownership: as {@link PoolBlock}; it is immutable.
 */
public final class ExecutorBlock extends PoolBlock {
  private final ExecutorPool pool;
  private final CommittedOutput output;
  private final List<IndexedRun> runs;
  private final RunKey key;

  /** A block of these runs of an output; {@code key} is null if they are not encrypted. */
  ExecutorBlock(ExecutorPool pool, CommittedOutput output, List<IndexedRun> runs, RunKey key) {
    super(runs.stream().mapToLong(indexed -> plainBytes(indexed.run().lengthBytes(), key)).sum());
    this.pool = pool;
    this.output = output;
    this.runs = List.copyOf(runs);
    this.key = key;
  }

  /** Length of a run as Spark reads it. */
  static long plainBytes(long storedBytes, RunKey key) {
    return key == null ? storedBytes : DecryptedRunInput.plainBytes(storedBytes);
  }

  @Override
  public InputStream createInputStream() {
    return new BlockStream();
  }

  /**
   * Reads the block. It copies one window at a time, verifies it, and decrypts it if it is
   * encrypted, before it gives out any byte of it.
   *
   * <p>Thread contract: one thread. Failure: {@link DamagedBlockException}; another {@link
   * IOException} once the output or the pool is gone.
   */
  private final class BlockStream extends InputStream {
    /**
     * No longer than the block. Most blocks of a large shuffle are short, and clearing a longer
     * window would be most of the work of reading them.
     */
    private final ByteBuffer window =
        ByteBuffer.allocate((int) Math.max(1, Math.min(WINDOW_BYTES, size()))).limit(0);

    private RunInput input;
    private int nextRun;

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

    private RunInput open(IndexedRun indexed) {
      Run run = indexed.run();
      String name = output.id() + " partition " + run.partition() + " in this executor's pool";
      RunInput verified =
          new VerifiedRunInput(name, new CopiedRun(indexed), run.lengthBytes(), run.checksums());
      return key == null
          ? verified
          : new DecryptedRunInput(
              name, verified, run.lengthBytes(), key, run.partition(), run.ordinal());
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
  }

  /**
   * A run of the block. A read copies its bytes from where the output lies at that moment. Unlike a
   * mapped run, it fails once its output or the pool is gone. The bytes are not verified.
   *
   * <p>Thread contract: one thread. It owns nothing.
   */
  private final class CopiedRun implements RunInput {
    private final long endBytes;
    private CommittedOutput found = output; // where the last read found it
    private long logicalOffsetBytes;

    CopiedRun(IndexedRun indexed) {
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
      found = pool.copy(found, logicalOffsetBytes, ByteBuffer.wrap(dst, offset, n).slice());
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
