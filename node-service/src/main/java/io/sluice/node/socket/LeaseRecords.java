package io.sluice.node.socket;

import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.RecoveredLeases;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file for each lease of a task, in a directory beside the socket: the extents that it was
 * granted, and a lock that the task holds as long as it lives ({@link LeaseLock}). A service that
 * restarts learns from them which task may still write where, see {@link FormerRecords}. It asks
 * the kernel, not the clock: a task that is stopped for hours keeps its lock, and one that was
 * killed has lost it.
 *
 * <pre>
 *  0                  8                 24                    48
 *  +------------------+-----------------+---------------------+ - - -
 *  | 1 or 2 when the  | pool id         | segment id 4, 0 4,  |        an entry for each
 *  | task holds the   |                 | offset 8, length 8  |        extent granted
 *  | lock             |                 |                     |
 *  +------------------+-----------------+---------------------+ - - -
 * </pre>
 *
 * <p>1 is a lock that the task has taken. A task that cannot open the file is sent a descriptor of
 * it, for reading alone, with a lock of {@code flock(2)} on it, which is 2: the lock lasts until
 * the last process that has the descriptor is gone.
 *
 * <p>An extent is recorded before the task is told of it. The entry of an extent that was given
 * back or committed stays until another extent is written over it: a block counts as a task's only
 * while no other record has it too. So the record of a task that leases and gives back for ever
 * stays bounded. Files need not survive the loss of power, which no task survives either.
 *
 * <p>The location of an extent is known when the store has granted it. A service that is killed
 * just then leaves blocks that no record names. They stay in quarantine until the applications of
 * that time have ended, as do the blocks of a lease without a record. Recording them first would
 * write a file under the lock of the store at every lease, to save what few kills leave behind.
 *
 * <p>If a record cannot be written (mostly because the file system is full), the pool still grants.
 * The lease goes on without a record. The other records are then unreliable, since that lease may
 * be granted extents that they gave back. So all are deleted, and none is made until the last lease
 * without one has ended. After a restart in that time, the extents that tasks held stay in
 * quarantine until their applications have ended.
 *
 * <p>Thread contract: safe from any thread. Ownership: each {@link LeaseRecord} is closed with its
 * lease. Failure: as above if a file cannot be written, and as {@link FormerRecords} says if one
 * cannot be read.
 */
public final class LeaseRecords implements RecoveredLeases {
  static final int HEADER_BYTES = 24;
  static final int ENTRY_BYTES = 24;
  static final int POOL_ID_OFFSET = 8;
  private static final String DIRECTORY = "leases";
  private static final Comparator<Range> BY_PLACE =
      Comparator.comparingInt(Range::segmentId).thenComparingLong(Range::offsetBytes);
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final Logger LOG = LoggerFactory.getLogger(LeaseRecords.class);

  private final Path directory;
  private final Opener opener;
  private final FormerRecords formers = new FormerRecords();
  private final Object openLock = new Object();
  private final Set<LeaseRecord> written = new HashSet<>(); // guarded by openLock
  private int unwritten; // leases without a record; guarded by openLock

  /** Opens the file of a record; a test makes it fail. */
  @FunctionalInterface
  interface Opener {
    SharedFile open(Path path) throws IOException;
  }

  /** Where an extent is written down, and how much of it the task still has. */
  private static final class Entry {
    private final long at;
    private long leftBytes;

    Entry(long at, long leftBytes) {
      this.at = at;
      this.leftBytes = leftBytes;
    }
  }

  private LeaseRecords(Path directory, Opener opener) {
    this.directory = directory;
    this.opener = opener;
  }

  /**
   * Opens the directory beside a socket.
   *
   * @param recover whether to keep the records of the service before
   */
  public static LeaseRecords open(Path socket, boolean recover) throws IOException {
    return open(socket, recover, SharedFile::open);
  }

  /**
   * Refuses to start empty over memory that stays the same, while tasks of the service before may
   * still write to their extents: nothing tells a pool that starts empty which blocks these are.
   *
   * @param pool that has this memory
   */
  public static void refuseWhileTasksWrite(Path socket, Path pool) throws IOException {
    Path directory = socket.resolveSibling(DIRECTORY);
    if (!Files.isDirectory(directory)) {
      return;
    }
    FormerRecords formers = new FormerRecords();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        formers.load(file);
      }
    }
    Optional<Path> record = formers.anyNotGone();
    if (record.isPresent()) {
      throw new IOException(
          "%s would start empty, but a task of before may still write to its memory, where others' outputs would be: %s says so. End the tasks of before and start this service again; if none runs any more, delete %s first"
              .formatted(pool, record.get(), directory));
    }
  }

  static LeaseRecords open(Path socket, boolean recover, Opener opener) throws IOException {
    Path directory = socket.resolveSibling(DIRECTORY);
    Files.createDirectories(directory, PrivateDirectory.OWNER_ONLY);
    LeaseRecords records = new LeaseRecords(directory, opener);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (!recover || !records.formers.load(file)) {
          Files.delete(file);
        }
      }
    }
    return records;
  }

  /** Where the record of a lease lies. */
  static Path path(Path socket, LeaseInfo lease) {
    return socket.resolveSibling(DIRECTORY).resolve(Long.toString(lease.generation()));
  }

  /** Begins the record of a lease, before its task hears of it; closed with it. */
  LeaseRecord create(LeaseInfo lease) {
    Path path = directory.resolve(Long.toString(lease.generation()));
    LeaseRecord record = new LeaseRecord(path);
    synchronized (openLock) {
      if (unwritten > 0) {
        unwritten++;
        return record;
      }
      written.add(record);
      try {
        record.begin(lease);
      } catch (IOException e) {
        goOnWithout(record, e);
      }
    }
    return record;
  }

  /** Begins the record of a lease that no task has, as of one whose task is gone. */
  @Override
  public Own own(LeaseInfo lease, List<Range> granted) {
    LeaseRecord record = create(lease);
    record.heldByNobody();
    record.granted(granted);
    return record::close;
  }

  /** How it is now; deletes the records of leases of another pool. */
  @Override
  public Review review(UUID poolId) {
    return formers.review(poolId);
  }

  @Override
  public void settled(Review review) {
    formers.settled(review);
  }

  /** A lease goes on without a record: deletes all others, see above. */
  private void goOnWithout(LeaseRecord cause, IOException failure) {
    synchronized (openLock) {
      if (!written.contains(cause)) {
        return; // another one's failure was first
      }
      LOG.warn(
          "The record {} of a lease cannot be written; tasks run without records until the current"
              + " ones have ended. If this service restarts before, their extents stay in"
              + " quarantine until their applications have ended",
          cause.path,
          failure);
      unwritten += written.size();
      written.forEach(LeaseRecord::discard);
      written.clear();
    }
  }

  /**
   * The record of one lease, which may have no file.
   *
   * <p>Thread contract: one thread; any may {@link #discard}. Ownership: the conversation with the
   * task closes it.
   */
  final class LeaseRecord {
    private final Path path;
    private volatile SharedFile file; // null while nothing is, or can be, written
    private long endBytes = HEADER_BYTES;
    private final NavigableMap<Range, Entry> held = new TreeMap<>(BY_PLACE); // none overlap
    private final Deque<Long> reusable = new ArrayDeque<>(); // places of entries

    private LeaseRecord(Path path) {
      this.path = path;
    }

    private void begin(LeaseInfo lease) throws IOException {
      Files.deleteIfExists(path);
      Files.createFile(path, OWNER_ONLY);
      ByteBuffer header =
          ByteBuffer.allocate(HEADER_BYTES)
              .putLong(POOL_ID_OFFSET, lease.poolId().getMostSignificantBits())
              .putLong(POOL_ID_OFFSET + Long.BYTES, lease.poolId().getLeastSignificantBits());
      file = opener.open(path);
      file.write(0, header);
    }

    /**
     * Locks it for a task that is to hold it by the descriptor that this gives, and cannot open it;
     * empty if there is none. The lock lasts as long as that descriptor or one passed on, and the
     * caller closes its own.
     */
    Optional<Descriptor> hold() throws IOException {
      SharedFile into = file;
      if (into == null) {
        return Optional.empty();
      }
      Descriptor held;
      try {
        into.write(0, ByteBuffer.allocate(Long.BYTES).putLong(0, LeaseLock.HELD_BY_DESCRIPTOR));
        held = Descriptor.open(path, false);
      } catch (IOException e) {
        goOnWithout(this, e);
        return Optional.empty();
      }
      try {
        if (!held.tryLock()) {
          throw new IOException("the lease " + path + " is held by somebody else");
        }
        return Optional.of(held);
      } catch (IOException | RuntimeException | Error e) {
        held.close();
        throw e;
      }
    }

    private void heldByNobody() {
      SharedFile into = file;
      if (into != null) {
        try {
          into.write(0, ByteBuffer.allocate(Long.BYTES).putLong(0, LeaseLock.HELD));
        } catch (IOException e) {
          goOnWithout(this, e);
        }
      }
    }

    /** Records granted extents, before the task is told. */
    void granted(List<Range> ranges) {
      SharedFile into = file;
      if (into == null) {
        return;
      }
      try {
        for (Range range : ranges) {
          released(range); // an output took it, and was moved or freed before that was noted
          long at = reusable.isEmpty() ? endBytes : reusable.pop();
          ByteBuffer entry =
              ByteBuffer.allocate(ENTRY_BYTES)
                  .putInt(range.segmentId())
                  .putInt(0)
                  .putLong(range.offsetBytes())
                  .putLong(range.lengthBytes());
          into.write(at, entry.flip());
          endBytes = Math.max(endBytes, at + ENTRY_BYTES);
          held.put(range, new Entry(at, range.lengthBytes()));
        }
      } catch (IOException e) {
        goOnWithout(this, e);
      }
    }

    /** These are no longer the task's: it has given them back, or they are an output's. */
    void released(List<Extent> extents) {
      extents.forEach(extent -> released(extent.range()));
    }

    /** The range may be a part of one grant, or span several grants that lie in a row. */
    private void released(Range range) {
      for (Range part : heldIn(range)) {
        Entry entry = held.remove(part);
        long beginBytes = Math.max(part.offsetBytes(), range.offsetBytes());
        long endBytes = Math.min(part.endBytes(), range.endBytes());
        hold(part.segmentId(), part.offsetBytes(), beginBytes, entry);
        hold(part.segmentId(), endBytes, part.endBytes(), entry);
        entry.leftBytes -= endBytes - beginBytes;
        if (entry.leftBytes == 0) {
          reusable.push(entry.at);
        }
      }
    }

    /** No grants of a service before this one. */
    private List<Range> heldIn(Range range) {
      List<Range> found = new ArrayList<>();
      Range first = held.floorKey(range);
      for (Range each : held.tailMap(first == null ? range : first, true).keySet()) {
        if (BY_PLACE.compare(each, new Range(range.segmentId(), range.endBytes(), 1)) >= 0) {
          break;
        }
        if (each.segmentId() == range.segmentId() && each.endBytes() > range.offsetBytes()) {
          found.add(each);
        }
      }
      return found;
    }

    private void hold(int segmentId, long beginBytes, long endBytes, Entry entry) {
      if (beginBytes < endBytes) {
        held.put(new Range(segmentId, beginBytes, endBytes - beginBytes), entry);
      }
    }

    /** Deletes it; a lock that the task holds on it says nothing any more. */
    private void discard() {
      SharedFile discarded = file;
      file = null;
      try {
        Files.deleteIfExists(path); // first: it may not be believed
        if (discarded != null) {
          discarded.close();
        }
      } catch (IOException e) {
        LOG.warn("The record {} could not be deleted", path, e);
      }
    }

    /**
     * Closes it.
     *
     * @param forGood whether the lease has ended; if only this service does, a successor needs it
     */
    void close(boolean forGood) throws IOException {
      synchronized (openLock) {
        if (!written.remove(this)) {
          unwritten -= forGood ? 1 : 0; // a lease that outlives this service has none till then
          return;
        }
      }
      file.close();
      if (forGood) {
        Files.deleteIfExists(path);
      }
    }
  }
}
