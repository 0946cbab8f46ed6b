package io.sluice.memory.fs.space;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The pieces of a file in their order. Each begins where the bytes before it end, which need not
 * fill theirs.
 *
 * <p>Thread contract: what can be seen of one never changes; {@link #plus} may be called once of
 * each, since both then share what they have in common; {@link #first} shares nothing.
 */
final class FileExtents {
  static final FileExtents NONE = new FileExtents(new FileExtent[0], new long[0], 0);

  private final FileExtent[] pieces;
  private final long[] startsBytes;
  private final int count;

  private FileExtents(FileExtent[] pieces, long[] startsBytes, int count) {
    this.pieces = pieces;
    this.startsBytes = startsBytes;
    this.count = count;
  }

  /** With one more, whose first byte is the file's byte {@code startBytes}. */
  FileExtents plus(FileExtent piece, long startBytes) {
    boolean full = count == pieces.length;
    int room = full ? Math.max(4, 2 * count) : pieces.length;
    FileExtent[] grownPieces = full ? Arrays.copyOf(pieces, room) : pieces;
    long[] grownStarts = full ? Arrays.copyOf(startsBytes, room) : startsBytes;
    grownPieces[count] = piece;
    grownStarts[count] = startBytes;
    return new FileExtents(grownPieces, grownStarts, count + 1);
  }

  /** The first ones alone. */
  FileExtents first(int keptCount) {
    return keptCount == count
        ? this
        : new FileExtents(
            Arrays.copyOf(pieces, keptCount), Arrays.copyOf(startsBytes, keptCount), keptCount);
  }

  int count() {
    return count;
  }

  FileExtent piece(int index) {
    return pieces[index];
  }

  long startBytes(int index) {
    return startsBytes[index];
  }

  /** Where the one ends that begins there: there are no bytes of the file in it behind that. */
  long endBytes(int index) {
    return index + 1 < count
        ? startsBytes[index + 1]
        : startsBytes[index] + pieces[index].lengthBytes();
  }

  /** Where the room ends that they have. */
  long roomBytes() {
    return count == 0 ? 0 : endBytes(count - 1);
  }

  List<FileExtent> from(int index) {
    return List.of(Arrays.copyOfRange(pieces, index, count));
  }

  /** Which has a byte, if the file has it. */
  int indexOf(long positionBytes) {
    int found = Arrays.binarySearch(startsBytes, 0, count, positionBytes);
    return found >= 0 ? found : -found - 2;
  }

  /** Reads what remains in {@code destination}, or less where the pieces end. */
  void read(long positionBytes, ByteBuffer destination) throws IOException {
    int limit = destination.limit();
    long atBytes = positionBytes;
    if (atBytes >= roomBytes()) {
      return;
    }
    for (int i = indexOf(atBytes); i < count && destination.position() < limit; i++) {
      int offsetBytes = (int) (atBytes - startsBytes[i]);
      int partBytes = (int) Math.min(limit - destination.position(), endBytes(i) - atBytes);
      pieces[i].read(offsetBytes, destination.slice(destination.position(), partBytes));
      destination.position(destination.position() + partBytes);
      atBytes += partBytes;
    }
  }
}
