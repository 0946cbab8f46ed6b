package io.sluice.rdma.memory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A mapped range of a file or a device, and the way to unmap it: by the JDK, or by {@code munmap}
 * if {@link NativeFile} mapped it.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that mapped it closes it, after
 * the last access through its buffer, slices and duplicates; a later access crashes the JVM.
 */
public final class Mapping implements Closeable {
  private final ByteBuffer buffer;
  private final Runnable unmapper;
  private final AtomicBoolean closed = new AtomicBoolean();

  Mapping(ByteBuffer buffer, Runnable unmapper) {
    this.buffer = buffer;
    this.unmapper = unmapper;
  }

  /** Maps a range of an open file with the JDK; the mapping outlives the channel. */
  public static Mapping ofFile(
      FileChannel file, FileChannel.MapMode mode, long offsetBytes, int lengthBytes)
      throws IOException {
    MappedByteBuffer buffer = OffHeap.map(file, mode, offsetBytes, lengthBytes);
    return new Mapping(buffer, () -> OffHeap.unmap(buffer));
  }

  /**
   * The mapped range, in big-endian order; a {@link MappedByteBuffer} with its file if the JDK
   * mapped it.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** A part of the range, not to be used after this is closed; closing the part does nothing. */
  public Mapping part(int offsetBytes, int lengthBytes) {
    return new Mapping(buffer.slice(offsetBytes, lengthBytes), () -> {});
  }

  /** Removes the mapping; idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      unmapper.run();
    }
  }
}
