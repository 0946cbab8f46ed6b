package io.sluice.memory.fs.space;

import io.sluice.memory.fs.space.FileExtents.FileExtent;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a file. As in POSIX, they stay while the file has a name or is open, and are then
 * freed.
 *
 * <p>Thread contract: any number of threads read the first {@link #lengthBytes} bytes without a
 * lock; one {@link ContentWriter} at a time appends. Ownership: the maker and each caller of {@link
 * #hold} hold it; each calls {@link #letGo} once. Failure: {@link IOException} of the disk tier.
 */
public final class FileContent {
  private final FileSpace space;
  private final List<FileExtent> owned = new ArrayList<>(); // guarded by this, like the next three
  private final List<FileContent> adopted = new ArrayList<>();
  private int holders = 1;
  private boolean cutWhileOpen;
  private volatile FileExtents extents = FileExtents.NONE;
  private volatile long lengthBytes;

  /** No bytes yet. */
  public FileContent(FileSpace space) {
    this.space = space;
  }

  /** The number of bytes that can be read. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /**
   * Reads what remains in {@code destination}, or less at the end.
   *
   * @return the number of bytes, or -1 at the end
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
      extents.read(positionBytes, destination);
    } finally {
      destination.limit(limit);
    }
    return destination.position() - from;
  }

  /** Neighbouring bytes of a file; {@code memory} begins with the first, or is null on disk. */
  public record Stretch(ByteBuffer memory, long startBytes, long endBytes) {}

  /** The readable stretch that has this byte; null at the end. */
  public Stretch stretch(long positionBytes) {
    long readableBytes = lengthBytes;
    FileExtents now = extents;
    if (positionBytes >= readableBytes || positionBytes >= now.roomBytes()) {
      return null;
    }
    int index = now.indexOf(positionBytes);
    return new Stretch(
        now.extent(index).memory(),
        now.startBytes(index),
        Math.min(readableBytes, now.endBytes(index)));
  }

  /** Keeps the bytes until {@link #letGo}; fails if they are freed already. */
  public synchronized void hold() {
    if (holders == 0) {
      throw new IllegalStateException("the file's bytes were freed");
    }
    holders++;
  }

  /** Ends one hold; the last one frees the bytes. */
  public void letGo() throws IOException {
    List<Closeable> freed = new ArrayList<>();
    synchronized (this) {
      if (--holders > 0) {
        return;
      }
      owned.forEach(extent -> freed.add(extent::release));
      adopted.forEach(content -> freed.add(content::letGo));
      owned.clear();
      adopted.clear();
    }
    Closer.all(freed);
  }

  /** Appends the bytes of other files without a copy. Nobody may be writing to any of them. */
  public synchronized void adopt(List<FileContent> others) {
    FileExtents joined = extents;
    long endBytes = lengthBytes;
    for (FileContent other : others) {
      other.hold();
      adopted.add(other);
      for (int i = 0; i < other.extents.count(); i++) {
        joined = joined.plus(other.extents.extent(i), endBytes + other.extents.startBytes(i));
      }
      endBytes += other.lengthBytes;
    }
    extents = joined;
    lengthBytes = endBytes;
  }

  /**
   * Drops all but the first bytes. Nobody may be writing to the file.
   *
   * @return frees the dropped bytes; to be called without a lock
   */
  public synchronized Closeable truncate(long keptBytes) {
    cutWhileOpen |= holders > 1; // a reader may be reading the dropped bytes
    lengthBytes = keptBytes;
    return trim();
  }

  /** Makes room for {@code roomBytes} in all, or more if the store has it; for the writer. */
  FileExtents grow(long roomBytes, long wantedBytes) throws IOException {
    long missingBytes = roomBytes - extents.roomBytes();
    if (missingBytes > 0) {
      // Without the lock: a full store is slow, and opening the file must not wait for it.
      add(space.lease(missingBytes, Math.max(missingBytes, wantedBytes)));
    }
    return extents;
  }

  private synchronized void add(List<FileExtent> leased) {
    FileExtents grown = extents;
    for (FileExtent extent : leased) {
      owned.add(extent);
      grown = grown.plus(extent, grown.roomBytes());
    }
    extents = grown;
  }

  /** Makes the bytes visible to readers. */
  void publish(long writtenBytes) {
    lengthBytes = writtenBytes;
  }

  /**
   * Drops the room behind the end. Bytes that a reader may still read stay until the file is freed.
   *
   * @return frees the room
   */
  synchronized Closeable trim() {
    FileExtents before = extents;
    int keptCount = lengthBytes == 0 ? 0 : before.indexOf(lengthBytes - 1) + 1;
    extents = before.first(keptCount);
    List<Closeable> freed = new ArrayList<>();
    if (!cutWhileOpen) {
      for (FileExtent extent : before.from(keptCount)) {
        if (removeOwned(extent)) {
          freed.add(extent::release);
        }
      }
      if (keptCount > 0) {
        trimLast(freed);
      }
    }
    return () -> Closer.all(freed);
  }

  private void trimLast(List<Closeable> freed) {
    int index = extents.count() - 1;
    FileExtent last = extents.extent(index);
    long startBytes = extents.startBytes(index);
    FileExtent kept = last.first((int) (lengthBytes - startBytes));
    if (kept != last && removeOwned(last)) {
      owned.add(kept);
      extents = extents.first(index).plus(kept, startBytes);
      freed.add(() -> last.releaseBehind(kept));
    }
  }

  /** Searches from the end, where it usually is. Extents of adopted files are not in the list. */
  private boolean removeOwned(FileExtent extent) {
    for (int i = owned.size() - 1; i >= 0; i--) {
      if (owned.get(i) == extent) {
        owned.remove(i);
        return true;
      }
    }
    return false;
  }
}
