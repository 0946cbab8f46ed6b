package io.sluice.node.socket;

import static io.sluice.node.socket.LeaseRecords.ENTRY_BYTES;
import static io.sluice.node.socket.LeaseRecords.HEADER_BYTES;
import static io.sluice.node.socket.LeaseRecords.POOL_ID_OFFSET;

import io.sluice.spill.segment.Range;
import io.sluice.spill.store.RecoveredLeases.Review;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records that the service before has left: they tell which of its tasks may still write where.
 * Unlike {@link LeaseRecords}, which has the layout of a record, it writes none. It deletes those
 * that tell nothing more.
 *
 * <p>Thread contract: filled by one thread, then safe from any. Failure: a file that cannot be read
 * counts as that of a living task, and is logged once.
 */
final class FormerRecords {
  private static final Logger LOG = LoggerFactory.getLogger(FormerRecords.class);

  private final List<Former> formers = new ArrayList<>();

  /** The record of a lease that the service before has left. */
  private static final class Former {
    private final Path path;
    private final UUID poolId;
    private final List<Range> granted;
    private boolean gone;
    private boolean complained;

    Former(Path path, UUID poolId, List<Range> granted) {
      this.path = path;
      this.poolId = poolId;
      this.granted = granted;
    }
  }

  /** Reads a file; false if its lease had no extent, so that it tells nothing. */
  boolean load(Path path) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path));
    if (bytes.capacity() < HEADER_BYTES + ENTRY_BYTES) {
      return false;
    }
    UUID poolId =
        new UUID(bytes.getLong(POOL_ID_OFFSET), bytes.getLong(POOL_ID_OFFSET + Long.BYTES));
    List<Range> granted = new ArrayList<>();
    int entry = HEADER_BYTES;
    for (; entry + ENTRY_BYTES <= bytes.capacity(); entry += ENTRY_BYTES) {
      try {
        granted.add(
            new Range(bytes.getInt(entry), bytes.getLong(entry + 8), bytes.getLong(entry + 16)));
      } catch (IllegalArgumentException e) {
        LOG.warn("{} is damaged: {}", path, e.getMessage());
      }
    }
    formers.add(new Former(path, poolId, granted)); // the last entry may be half: nobody was told
    return true;
  }

  /** A record whose task may still write; empty if no task may. */
  Optional<Path> anyNotGone() {
    return formers.stream()
        .filter(former -> stateOf(former) != LeaseLock.State.GONE)
        .map(former -> former.path)
        .findFirst();
  }

  /** How it is now; deletes the records of leases of another pool. */
  synchronized Review review(UUID poolId) {
    List<Range> living = new ArrayList<>();
    List<Range> unsaid = new ArrayList<>();
    List<Range> gone = new ArrayList<>();
    for (Iterator<Former> each = formers.iterator(); each.hasNext(); ) {
      Former former = each.next();
      if (!former.poolId.equals(poolId)) {
        each.remove();
        delete(former);
        continue;
      }
      switch (stateOf(former)) {
        case LIVING -> living.addAll(former.granted);
        case UNSAID -> unsaid.addAll(former.granted);
        case GONE -> {
          former.gone = true;
          gone.addAll(former.granted);
        }
      }
    }
    return new Review(living, unsaid, gone);
  }

  private static LeaseLock.State stateOf(Former former) {
    try {
      return former.gone ? LeaseLock.State.GONE : LeaseLock.stateOf(former.path);
    } catch (IOException e) {
      if (!former.complained) {
        LOG.warn("Cannot tell whether the task of {} lives", former.path, e);
        former.complained = true;
      }
      return LeaseLock.State.LIVING;
    }
  }

  /** Deletes the records whose extents were all gone in that review. */
  synchronized void settled(Review review) {
    Set<Range> free = new HashSet<>(review.gone());
    for (Iterator<Former> each = formers.iterator(); each.hasNext(); ) {
      Former former = each.next();
      if (former.gone && free.containsAll(former.granted)) {
        each.remove();
        delete(former);
      }
    }
  }

  private static void delete(Former former) {
    try {
      Files.deleteIfExists(former.path);
    } catch (IOException e) {
      LOG.warn("{} could not be deleted; the next start does", former.path, e);
    }
  }
}
