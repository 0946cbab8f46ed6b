package io.sluice.spark.persist;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.persist.BlockPool.StoredBytes;
import io.sluice.spill.store.StoreFullException;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.util.Optional;
import org.apache.spark.storage.DiskBlockManager;

/**
 * Receives the bytes of one block and writes them into the pool. When the pool is full, it moves
 * them to one of Spark's files and goes on there, because Spark writes a block only once.
 *
 * <p>Thread contract: one thread. Ownership: the creator ends it with {@link #finish} or {@link
 * #discard}; {@link #close}, which channels on top of it call, does nothing.
 */
final class BlockSink implements WritableByteChannel {
  private static final int COPY_BYTES = 64 << 10;

  private final BlockPool pool;
  private final DiskBlockManager files;
  private final BlockWriter writer;
  private File file;
  private FileChannel out;

  BlockSink(BlockPool pool, DiskBlockManager files) throws IOException {
    this.pool = pool;
    this.files = files;
    this.writer = pool.newBlock();
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    int lengthBytes = bytes.remaining();
    if (out == null) {
      try {
        writer.write(bytes);
        return lengthBytes;
      } catch (StoreFullException e) {
        moveToFile();
      }
    }
    writeFully(bytes);
    return lengthBytes;
  }

  private void moveToFile() throws IOException {
    file = files.createTempLocalBlock()._2();
    out = new FileOutputStream(file).getChannel();
    StoredBytes written = writer.finish();
    try (ReadableByteChannel source = pool.open(written)) {
      ByteBuffer buffer = ByteBuffer.allocate(COPY_BYTES);
      while (source.read(buffer.clear()) >= 0) {
        writeFully(buffer.flip());
      }
    } catch (Throwable e) {
      Closer.after(e, () -> pool.free(written));
      throw e;
    }
    pool.free(written);
  }

  private void writeFully(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }

  /** The bytes in the pool; empty if they are in {@link #file}, which the caller then owns. */
  Optional<StoredBytes> finish() throws IOException {
    if (out != null) {
      out.close();
      return Optional.empty();
    }
    return Optional.of(writer.finish());
  }

  File file() {
    return file;
  }

  /** Frees the bytes, and deletes the file if there is one. */
  void discard() throws IOException {
    if (out == null) {
      writer.close();
    } else {
      Closer.all(writer, out, () -> Files.deleteIfExists(file.toPath()));
    }
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void close() {}
}
