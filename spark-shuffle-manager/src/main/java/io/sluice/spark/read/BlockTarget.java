package io.sluice.spark.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.internal.OutOfDirectMemoryError;
import io.sluice.spark.pool.BlockRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NettyManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.NettyUtils;
import org.apache.spark.network.util.TransportConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the bytes of a fetched block.
 *
 * <p>Thread contract: one thread. Ownership: the fetch that opens it calls {@link #done} or {@link
 * #abandon} once. Failure: {@link IOException} if there is no space.
 */
interface BlockTarget {
  /** Opens a target for a block. */
  interface Opener {
    /** Opens a target of that length. */
    BlockTarget open(BlockRange block, long lengthBytes) throws IOException;
  }

  /** Appends the next bytes. */
  void write(byte[] bytes, int lengthBytes) throws IOException;

  /** Ends the block; the caller releases the buffer. */
  ManagedBuffer done() throws IOException;

  /** Frees the target of a block that failed; never throws. */
  void abandon();

  /**
   * A fetched block in a file of the task. Spark wants large blocks in files ({@code
   * spark.network.maxRemoteBlockSizeFetchToMem}), and they may be longer than any buffer.
   *
   * <p>Thread contract and ownership: as {@link BlockTarget}; Spark deletes the file at the end of
   * the task. Failure: {@link IOException}, and no file is left.
   */
  static final class FileTarget implements BlockTarget {
    private static final Logger LOG = LoggerFactory.getLogger(FileTarget.class);
    private static final TransportConf CONF = new TransportConf("shuffle", MapConfigProvider.EMPTY);

    private final DownloadFileManager files;
    private final DownloadFile file;
    private final DownloadFileWritableChannel channel;

    private FileTarget(DownloadFileManager files) throws IOException {
      this.files = files;
      this.file = files.createTempFile(CONF);
      try {
        this.channel = file.openForWriting();
      } catch (Throwable e) {
        file.delete();
        throw e;
      }
    }

    /** Opens files of this manager. */
    static Opener in(DownloadFileManager files) {
      return (block, lengthBytes) -> new FileTarget(files);
    }

    @Override
    public void write(byte[] bytes, int lengthBytes) throws IOException {
      ByteBuffer left = ByteBuffer.wrap(bytes, 0, lengthBytes);
      while (left.hasRemaining()) {
        channel.write(left);
      }
    }

    /** Deletes the file at once if the task has ended, because nothing else would. */
    @Override
    public ManagedBuffer done() throws IOException {
      ManagedBuffer content = channel.closeAndRead();
      if (!files.registerTempFileToClean(file)) {
        file.delete();
      }
      return content;
    }

    @Override
    public void abandon() {
      try {
        channel.close();
      } catch (IOException | RuntimeException e) { // the fetch has failed already
        LOG.warn("{} could not be closed", file.path(), e);
      }
      file.delete();
    }
  }

  /**
   * A fetched block in direct memory, unlike the large ones in a {@link BlockTarget.FileTarget}. It
   * is the memory that Spark's own client receives blocks into, so that one bound holds for both.
   * On the heap, each block of more than half a region would make G1 collect garbage.
   *
   * <p>Thread contract and ownership: as {@link BlockTarget}. Failure: {@link
   * OutOfDirectMemoryError} where Netty keeps the bound; Spark then fetches less at a time. {@link
   * IOException} where the JDK keeps the bound, so that the block is fetched through Spark; an
   * error of the JDK would end the executor. {@link IOException} if the block is too long for a
   * buffer.
   */
  static final class MemoryTarget implements BlockTarget {
    /** Netty keeps released buffers of up to this length for the next block. */
    private static final int PART_BYTES = 1 << 20;

    private final ByteBuf bytes;

    private MemoryTarget(ByteBuf bytes) {
      this.bytes = bytes;
    }

    /** Allocates the memory of a block. */
    static BlockTarget open(BlockRange block, long lengthBytes) throws IOException {
      if (lengthBytes > Integer.MAX_VALUE) {
        throw new IOException(
            block.blockId() + " has " + lengthBytes + " bytes, too many for one buffer");
      }
      return new MemoryTarget(allocate((int) lengthBytes));
    }

    /** An empty buffer of that capacity; the caller releases it. */
    static ByteBuf allocate(int lengthBytes) throws IOException {
      return allocate(NettyUtils.getSharedPooledByteBufAllocator(true, false), lengthBytes);
    }

    /** The same from another allocator. */
    static ByteBuf allocate(ByteBufAllocator memory, int lengthBytes) throws IOException {
      try {
        return lengthBytes <= PART_BYTES
            ? memory.directBuffer(lengthBytes, lengthBytes)
            : inParts(memory, lengthBytes);
      } catch (OutOfDirectMemoryError e) {
        throw e;
      } catch (OutOfMemoryError e) {
        throw new IOException("no direct memory for a block of " + lengthBytes + " bytes", e);
      }
    }

    private static ByteBuf inParts(ByteBufAllocator memory, int lengthBytes) {
      CompositeByteBuf all = memory.compositeDirectBuffer(Integer.MAX_VALUE);
      try {
        for (int left = lengthBytes; left > 0; left -= PART_BYTES) {
          int partBytes = Math.min(left, PART_BYTES);
          all.addComponent(memory.directBuffer(partBytes, partBytes).writerIndex(partBytes));
        }
        return all;
      } catch (RuntimeException | Error e) {
        all.release();
        throw e;
      }
    }

    @Override
    public void write(byte[] from, int lengthBytes) {
      bytes.writeBytes(from, 0, lengthBytes);
    }

    @Override
    public ManagedBuffer done() {
      return new NettyManagedBuffer(bytes);
    }

    @Override
    public void abandon() {
      bytes.release();
    }
  }
}
