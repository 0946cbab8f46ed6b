package io.sluice.spill.segment;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A segment opened for mapping, and on the disk tier for writing, whatever kind of file or device
 * it lies in.
 *
 * <p>Thread contract: one thread at a time. Ownership: the opener closes it; its mappings outlive
 * it. Failure: {@link IOException} naming the file that is gone.
 */
public final class SegmentFile implements Closeable {
  private final SegmentInfo info;
  private final FileChannel channel; // null where the JDK cannot map
  private final NativeFile nativeFile; // null where it can

  private SegmentFile(SegmentInfo info, FileChannel channel, NativeFile nativeFile) {
    this.info = info;
    this.channel = channel;
    this.nativeFile = nativeFile;
  }

  /** Opens by name for reading, and for writing too if {@code writable}. */
  public static SegmentFile open(SegmentInfo info, boolean writable) throws IOException {
    if (info.mapUnitBytes() != SegmentInfo.MAPPED_BY_JDK) {
      return new SegmentFile(
          info, null, NativeFile.open(info.path(), info.mapUnitBytes(), writable));
    }
    Set<OpenOption> options =
        writable
            ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)
            : Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    return new SegmentFile(info, FileChannel.open(info.path(), options), null);
  }

  /** Which segment it is. */
  public SegmentInfo info() {
    return info;
  }

  /** Whether it can still be mapped: a thread that is interrupted while it maps closes it. */
  public boolean isOpen() {
    return channel == null || channel.isOpen();
  }

  /** How much of the segment there is. */
  public long lengthBytes() throws IOException {
    return channel == null ? info.lengthBytes() : channel.size() - info.fileOffsetBytes();
  }

  /** Maps a range of the segment; {@code mode} means nothing where the JDK does not map. */
  public Mapping map(FileChannel.MapMode mode, long offsetBytes, int lengthBytes)
      throws IOException {
    long fileOffsetBytes = info.fileOffsetBytes() + offsetBytes;
    return channel == null
        ? nativeFile.map(fileOffsetBytes, lengthBytes)
        : Mapping.ofFile(channel, mode, fileOffsetBytes, lengthBytes);
  }

  /** Writes all that remains of {@code source} into an ordinary file that is open for writing. */
  public void write(long offsetBytes, ByteBuffer source) throws IOException {
    long toBytes = info.fileOffsetBytes() + offsetBytes;
    while (source.hasRemaining()) {
      toBytes += ordinary().write(source, toBytes);
    }
  }

  /** Makes safe what was written. */
  public void force() throws IOException {
    ordinary().force(false);
  }

  private FileChannel ordinary() throws IOException {
    if (channel == null) {
      throw new IOException(info + " can only be mapped");
    }
    return channel;
  }

  @Override
  public void close() throws IOException {
    if (channel == null) {
      nativeFile.close();
    } else {
      channel.close();
    }
  }
}
