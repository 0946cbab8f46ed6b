package io.sluice.hadoop.files;

import io.sluice.node.socket.SocketClient;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.writer.OutputWriter;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;

/**
 * Writes the bytes of one file into the pool of this node, an output for each block.
 *
 * <p>Thread contract: one thread. Ownership: owns the connection to the service; closing it gives
 * back what was not committed. Failure: {@link IOException} of the service. The caller then closes
 * this, and frees the blocks that were committed.
 */
final class PoolWriter implements Closeable {
  private static final long LEASE_BYTES = 4L << 20;

  private final SocketClient node;
  private final WriteTarget target;
  private final PooledFile file;
  private OutputWriter block; // null between two
  private long blockBytes;
  private int runBytes; // 0: no run is open
  private long lengthBytes;

  /** For a file that does not exist yet. */
  PoolWriter(SocketClient node, WriteTarget target, PooledFile file) {
    this.node = node;
    this.target = target;
    this.file = file;
  }

  PooledFile file() {
    return file;
  }

  void write(byte[] bytes, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      if (block == null) {
        block = target.writer(1, Math.min(LEASE_BYTES, file.blockBytes()));
      }
      if (runBytes == 0) {
        block.beginRun(0);
      }
      long roomBytes = Math.min(file.runBytes() - runBytes, file.blockBytes() - blockBytes);
      int n = (int) Math.min(length - done, roomBytes);
      block.write(bytes, offset + done, n);
      done += n;
      runBytes += n;
      blockBytes += n;
      lengthBytes += n;
      if (blockBytes == file.blockBytes()) {
        commitBlock();
      } else if (runBytes == file.runBytes()) {
        endRun();
      }
    }
  }

  private void endRun() {
    block.endRun(runBytes, 1);
    runBytes = 0;
  }

  private void commitBlock() throws IOException {
    if (runBytes > 0) {
      endRun();
    }
    long index = (lengthBytes - 1) / file.blockBytes();
    try (OutputWriter committing = block) {
      block = null;
      blockBytes = 0;
      committing.commit(new OutputId(file.applicationId(), file.outputId(index)));
    }
  }

  /**
   * Commits the last block.
   *
   * @return the length of the file
   */
  long finish() throws IOException {
    if (block != null) {
      commitBlock();
    }
    return lengthBytes;
  }

  @Override
  public void close() throws IOException {
    try (node) {
      if (block != null) {
        block.close();
        block = null;
      }
    }
  }
}
