package io.sluice.hadoop.files;

import io.sluice.node.socket.SocketClient;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.writer.OutputWriter;
import io.sluice.spill.writer.WriteTarget;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSExceptionMessages;

/**
 * Writes a file: into its record if the file is small or there is no pool here, else into the pool.
 * The file can be read once this is closed.
 *
 * <p>Thread contract: safe from any thread, one at a time. Ownership: its opener closes it; it owns
 * the record's stream. Failure: {@link IOException}. A file in a pool is then never whole, and its
 * bytes are freed when it is closed or deleted.
 */
final class ClusterOutputStream extends OutputStream {
  /** A file of up to so many bytes lies in its record; a pool would use as much for a block. */
  static final int SMALL_BYTES = 64 << 10;

  private final FSDataOutputStream record;
  private final PooledFiles pool;
  private final long blockBytes;
  private ByteArrayOutputStream small = new ByteArrayOutputStream(); // null: the file is large
  private PoolWriter pooled; // null: it lies in its record
  private FSDataOutputStream copy; // null: there is none
  private IOException failure;
  private boolean closed;

  /** Writes a file whose record is empty. */
  ClusterOutputStream(FSDataOutputStream record, PooledFiles pool, long blockBytes) {
    this.record = record;
    this.pool = pool;
    this.blockBytes = blockBytes;
  }

  @Override
  public synchronized void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (closed) {
      throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED);
    }
    if (failure != null) {
      throw new IOException(
          "an earlier write of this file has failed: " + ErrorText.of(failure), failure);
    }
    try {
      if (small != null && small.size() + length > SMALL_BYTES) {
        choose();
      }
      append(bytes, offset, length);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  private void append(byte[] bytes, int offset, int length) throws IOException {
    if (small != null) {
      small.write(bytes, offset, length);
    } else if (pooled == null) {
      record.write(bytes, offset, length);
    } else {
      pooled.write(bytes, offset, length);
      if (copy != null) {
        copy.write(bytes, offset, length);
      }
    }
  }

  /** The file is not small. Its record says first where its bytes are, for a deletion. */
  private void choose() throws IOException {
    pooled = pool.begin(blockBytes);
    if (pooled == null) {
      FileRecord.writeInlineHead(record);
    } else {
      FileRecord.writeHead(record, pooled.file());
      record.hflush();
      copy = pool.createCopy(pooled.file());
    }
    byte[] before = small.toByteArray();
    small = null;
    append(before, 0, before.length);
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    boolean whole = false;
    try {
      finish();
      whole = true;
    } finally {
      if (!whole && pooled != null) {
        pool.free(pooled.file());
      }
    }
  }

  private void finish() throws IOException {
    PoolWriter closingPool = pooled;
    FSDataOutputStream closingCopy = copy;
    try (record;
        closingPool;
        closingCopy) {
      if (failure != null) {
        throw new IOException("the file is not whole: " + ErrorText.of(failure), failure);
      }
      if (small != null) {
        FileRecord.writeInlineHead(record);
        small.writeTo(record);
      } else if (pooled != null) {
        long lengthBytes = pooled.finish();
        if (copy != null) {
          copy.close();
        }
        FileRecord.writeEnd(record, lengthBytes);
      }
    }
  }

  /**
   * Writes the bytes of one file into the pool of this node, an output for each block.
   *
   * <p>Thread contract: one thread. Ownership: owns the connection to the service; closing it gives
   * back what was not committed. Failure: {@link IOException} of the service. The caller then
   * closes this, and frees the blocks that were committed.
   */
  static final class PoolWriter implements Closeable {
    private static final long LEASE_BYTES = 4L << 20;

    private final SocketClient node;
    private final WriteTarget target;
    private final PooledFile file;
    private OutputWriter block; // null between two
    private long blockBytes;
    private int runBytes; // 0: no run is open
    private long lengthBytes;

    /** Writes a file that does not exist yet. */
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
}
