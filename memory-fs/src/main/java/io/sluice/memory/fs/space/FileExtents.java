package io.sluice.memory.fs.space;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The extents of a file, in their order. The bytes of a file need not fill an extent; the next one
 * continues where they end.
 *
 * <p>Thread contract: immutable to its readers. {@link #plus} may be called once on each instance,
 * because the result shares its arrays; {@link #first} copies them.
 */
final class FileExtents {
  static final FileExtents NONE = new FileExtents(new FileExtent[0], new long[0], 0);

  private final FileExtent[] extents;
  private final long[] startsBytes;
  private final int count;

  private FileExtents(FileExtent[] extents, long[] startsBytes, int count) {
    this.extents = extents;
    this.startsBytes = startsBytes;
    this.count = count;
  }

  /** With one more extent, whose first byte is byte {@code startBytes} of the file. */
  FileExtents plus(FileExtent extent, long startBytes) {
    boolean full = count == extents.length;
    int room = full ? Math.max(4, 2 * count) : extents.length;
    FileExtent[] grownExtents = full ? Arrays.copyOf(extents, room) : extents;
    long[] grownStarts = full ? Arrays.copyOf(startsBytes, room) : startsBytes;
    grownExtents[count] = extent;
    grownStarts[count] = startBytes;
    return new FileExtents(grownExtents, grownStarts, count + 1);
  }

  /** Only the first extents. */
  FileExtents first(int keptCount) {
    return keptCount == count
        ? this
        : new FileExtents(
            Arrays.copyOf(extents, keptCount), Arrays.copyOf(startsBytes, keptCount), keptCount);
  }

  int count() {
    return count;
  }

  FileExtent extent(int index) {
    return extents[index];
  }

  long startBytes(int index) {
    return startsBytes[index];
  }

  /** The position in the file at which the extent's bytes end. */
  long endBytes(int index) {
    return index + 1 < count
        ? startsBytes[index + 1]
        : startsBytes[index] + extents[index].lengthBytes();
  }

  /** The number of bytes for which the extents have room. */
  long roomBytes() {
    return count == 0 ? 0 : endBytes(count - 1);
  }

  List<FileExtent> from(int index) {
    return List.of(Arrays.copyOfRange(extents, index, count));
  }

  /** The index of the extent that has the byte. */
  int indexOf(long positionBytes) {
    int found = Arrays.binarySearch(startsBytes, 0, count, positionBytes);
    return found >= 0 ? found : -found - 2;
  }

  /** Reads what remains in {@code destination}, or less if the extents end before. */
  void read(long positionBytes, ByteBuffer destination) throws IOException {
    int limit = destination.limit();
    long atBytes = positionBytes;
    if (atBytes >= roomBytes()) {
      return;
    }
    for (int i = indexOf(atBytes); i < count && destination.position() < limit; i++) {
      int offsetBytes = (int) (atBytes - startsBytes[i]);
      int partBytes = (int) Math.min(limit - destination.position(), endBytes(i) - atBytes);
      extents[i].read(offsetBytes, destination.slice(destination.position(), partBytes));
      destination.position(destination.position() + partBytes);
      atBytes += partBytes;
    }
  }

  /**
   * Neighbouring bytes in one tier of the store.
   *
   * <p>Thread contract: any number of threads read while one writes bytes that are not visible yet.
   * Ownership: the content that leased it releases it; after that its bytes may be another file's.
   */
  interface FileExtent {
    /** The number of bytes for which it has room. */
    int lengthBytes();

    /** The whole extent, to read and write in place; null if it is on disk. */
    ByteBuffer memory();

    /** Fills what remains in {@code destination}. */
    void read(int offsetBytes, ByteBuffer destination) throws IOException;

    /** Writes all that remains in {@code source}. */
    void write(int offsetBytes, ByteBuffer source) throws IOException;

    /** The store's blocks that have the first bytes; this extent if these are all its blocks. */
    FileExtent first(int keptBytes);

    /** Frees the blocks behind {@code first}. */
    void releaseBehind(FileExtent first) throws IOException;

    /** Frees all blocks. */
    void release() throws IOException;
  }
}
