package io.sluice.memory.fs.space;

import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a file. They are kept while the file has a name or anybody has it open, as POSIX has
 * it, and go back to the store with the last of these.
 *
 * <p>Thread contract: any number of threads read, without a lock, what {@link #lengthBytes} says is
 * there; one {@link ContentWriter} at a time adds to it. Ownership: who makes it holds it, and so
 * does everyone who has called {@link #hold}; each lets go once. Failure: {@link IOException} of
 * the disk tier.
 */
public final class FileContent {
  private final FileSpace space;
  private final List<FileExtent> owned = new ArrayList<>(); // guarded by this, as the next three
  private final List<FileContent> adopted = new ArrayList<>();
  private int holders = 1;
  private boolean cutWhileOpen;
  private volatile FileExtents pieces = FileExtents.NONE;
  private volatile long lengthBytes;

  /** No bytes yet. */
  public FileContent(FileSpace space) {
    this.space = space;
  }

  /** How many bytes can be read. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /**
   * Reads what remains in {@code destination}, or less at the end.
   *
   * @return how many bytes, or -1 at the end
   */
  public int read(long positionBytes, ByteBuffer destination) throws IOException {
    long leftBytes = lengthBytes - positionBytes;
    if (!destination.hasRemaining()) {
      return 0;
    }
    if (leftBytes <= 0) {
      return -1;
    }
    int limit = destination.limit();
    int from = destination.position();
    destination.limit((int) Math.min(limit, from + leftBytes));
    try {
      pieces.read(positionBytes, destination);
    } finally {
      destination.limit(limit);
    }
    return destination.position() - from;
  }

  /**
   * Bytes of a file that lie together; {@code memory} begins with the first, or is null on disk.
   */
  public record Stretch(ByteBuffer memory, long startBytes, long endBytes) {}

  /** That which has this byte, as far as it can be read; null at the end. */
  public Stretch stretch(long positionBytes) {
    long readableBytes = lengthBytes;
    FileExtents now = pieces;
    if (positionBytes >= readableBytes || positionBytes >= now.roomBytes()) {
      return null;
    }
    int index = now.indexOf(positionBytes);
    return new Stretch(
        now.piece(index).memory(),
        now.startBytes(index),
        Math.min(readableBytes, now.endBytes(index)));
  }

  /** Keeps the bytes until {@link #letGo}, if it has not been let go by all. */
  public synchronized void hold() {
    if (holders == 0) {
      throw new IllegalStateException("the file's bytes are gone");
    }
    holders++;
  }

  /** The last one gives the bytes back. */
  public void letGo() throws IOException {
    List<Closeable> freed = new ArrayList<>();
    synchronized (this) {
      if (--holders > 0) {
        return;
      }
      owned.forEach(piece -> freed.add(piece::release));
      adopted.forEach(content -> freed.add(content::letGo));
      owned.clear();
      adopted.clear();
    }
    Closer.all(freed);
  }

  /** Takes the bytes of others behind its own; nobody writes to any of them. */
  public synchronized void adopt(List<FileContent> others) {
    FileExtents joined = pieces;
    long endBytes = lengthBytes;
    for (FileContent other : others) {
      other.hold();
      adopted.add(other);
      for (int i = 0; i < other.pieces.count(); i++) {
        joined = joined.plus(other.pieces.piece(i), endBytes + other.pieces.startBytes(i));
      }
      endBytes += other.lengthBytes;
    }
    pieces = joined;
    lengthBytes = endBytes;
  }

  /**
   * Drops what is behind the first bytes; nobody writes to it.
   *
   * @return what gives that back, for whoever has no lock any more
   */
  public synchronized Closeable truncate(long keptBytes) {
    cutWhileOpen |= holders > 1; // somebody may be looking at what is cut
    lengthBytes = keptBytes;
    return trim();
  }

  /** Makes room for so many bytes in all, more if there is; for the writer. */
  FileExtents grow(long roomBytes, long wantedBytes) throws IOException {
    long missingBytes = roomBytes - pieces.roomBytes();
    if (missingBytes > 0) {
      // No lock meanwhile: a full store takes its time, and whoever opens the file must not wait.
      add(space.lease(missingBytes, Math.max(missingBytes, wantedBytes)));
    }
    return pieces;
  }

  private synchronized void add(List<FileExtent> leased) {
    FileExtents grown = pieces;
    for (FileExtent piece : leased) {
      owned.add(piece);
      grown = grown.plus(piece, grown.roomBytes());
    }
    pieces = grown;
  }

  /** Shows readers what was written. */
  void publish(long writtenBytes) {
    lengthBytes = writtenBytes;
  }

  /**
   * Drops the room behind the end; what somebody may be looking at goes with the file.
   *
   * @return what gives it back
   */
  synchronized Closeable trim() {
    FileExtents before = pieces;
    int keptCount = lengthBytes == 0 ? 0 : before.indexOf(lengthBytes - 1) + 1;
    pieces = before.first(keptCount);
    List<Closeable> freed = new ArrayList<>();
    if (!cutWhileOpen) {
      for (FileExtent piece : before.from(keptCount)) {
        if (removeOwned(piece)) {
          freed.add(piece::release);
        }
      }
      if (keptCount > 0) {
        trimLast(freed);
      }
    }
    return () -> Closer.all(freed);
  }

  private void trimLast(List<Closeable> freed) {
    int index = pieces.count() - 1;
    FileExtent last = pieces.piece(index);
    long startBytes = pieces.startBytes(index);
    FileExtent kept = last.first((int) (lengthBytes - startBytes));
    if (kept != last && removeOwned(last)) {
      owned.add(kept);
      pieces = pieces.first(index).plus(kept, startBytes);
      freed.add(() -> last.releaseBehind(kept));
    }
  }

  /** From the end, where it usually is; pieces of adopted files are not its own. */
  private boolean removeOwned(FileExtent piece) {
    for (int i = owned.size() - 1; i >= 0; i--) {
      if (owned.get(i) == piece) {
        owned.remove(i);
        return true;
      }
    }
    return false;
  }
}
