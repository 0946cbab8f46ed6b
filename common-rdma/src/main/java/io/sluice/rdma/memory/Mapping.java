package io.sluice.rdma.memory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A range of a file or a device in memory, together with how it is taken away again: by the JDK, or
 * by {@code munmap} where {@link NativeFile} made it.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever asked for it closes it, after the
 * last access through its buffer, slices and duplicates; an access after that crashes the JVM.
 */
public final class Mapping implements Closeable {
  private final ByteBuffer buffer;
  private final Runnable unmapper;
  private final AtomicBoolean closed = new AtomicBoolean();

  Mapping(ByteBuffer buffer, Runnable unmapper) {
    this.buffer = buffer;
    this.unmapper = unmapper;
  }

  /** Maps a range of an open file the JDK's way; the mapping outlives the channel. */
  public static Mapping ofFile(
      FileChannel file, FileChannel.MapMode mode, long offsetBytes, int lengthBytes)
      throws IOException {
    MappedByteBuffer buffer = OffHeap.map(file, mode, offsetBytes, lengthBytes);
    return new Mapping(buffer, () -> OffHeap.unmap(buffer));
  }

  /**
   * Exactly the range asked for, in big-endian order; a {@link MappedByteBuffer} that knows its
   * file if the JDK mapped it.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** A part of it, not to be used after this is closed; closing the part does nothing. */
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
