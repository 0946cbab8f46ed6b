package io.sluice.node.socket;

import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.SegmentHold;
import io.sluice.spill.store.SpillStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Opens the segments whose descriptors a task is sent, all of the task's own user, and knows which
 * were sent.
 *
 * <p>A segment is opened anew for each descriptor, by its name, which states its incarnation and
 * its owner: a segment that has another owner meanwhile is not found, and no other one is opened
 * instead. A task gets a segment for writing if it was granted an extent in it, even if it has
 * given that back: a descriptor that was sent cannot be revoked.
 *
 * <p>Thread contract: that of the session, which owns and closes it. Descriptors that it gives are
 * the caller's to close.
 */
final class DescriptorSender implements Closeable {
  private final SpillStore store;
  private final Owner owner;
  private final BiConsumer<RefusalKind, String> refusals;
  private final Map<Key, SegmentHold> holds = new HashMap<>(); // of all that were sent
  private final Set<Key> granted = new HashSet<>();

  /** One file of a segment. */
  private record Key(int segmentId, int incarnation) {
    static Key of(SegmentInfo segment) {
      return new Key(segment.segmentId(), segment.incarnation());
    }
  }

  /** Open files of segments, in the order of their ids here. */
  record OpenFiles(List<Integer> segmentIds, List<Descriptor> descriptors) {
    static final OpenFiles NONE = new OpenFiles(List.of(), List.of());
  }

  /**
   * For a task of that user.
   *
   * @param refusals counts requests for segments that no task of that user may have
   */
  DescriptorSender(SpillStore store, Owner owner, BiConsumer<RefusalKind, String> refusals) {
    this.store = store;
    this.owner = owner;
    this.refusals = refusals;
  }

  /** The segments of granted extents that were not sent before, as many as one answer carries. */
  OpenFiles granted(List<Extent> extents) throws IOException {
    List<Integer> ids = new ArrayList<>();
    List<Descriptor> descriptors = new ArrayList<>();
    try {
      for (Extent extent : extents) {
        Key key = Key.of(extent.segment());
        boolean written = extent.segment().tier() == Tier.MEMORY; // the others the service writes
        if (written && granted.add(key) && ids.size() < SocketProtocol.MAX_FILES) {
          open(key, true).ifPresent(descriptors::add);
          ids.add(key.segmentId());
        }
      }
      if (ids.size() != descriptors.size()) {
        throw new IOException("segments " + ids + " are not there, though room in them is granted");
      }
      return new OpenFiles(ids, descriptors);
    } catch (IOException | RuntimeException | Error e) {
      Closer.all(descriptors);
      throw e;
    }
  }

  /** A segment; empty if there is none, or none that this task may open so. */
  Optional<Descriptor> open(int segmentId, int incarnation, boolean writable) throws IOException {
    Key key = new Key(segmentId, incarnation);
    if (writable && !granted.contains(key) || isAnothers(key)) {
      refusals.accept(
          RefusalKind.FOREIGN_SEGMENT,
          "asks for segment %s, incarnation %s, %s"
              .formatted(segmentId, incarnation, writable ? "to write to it" : "to read it"));
      return Optional.empty();
    }
    return open(key, writable);
  }

  /** Not so where it only has changed hands: that is another incarnation. */
  private boolean isAnothers(Key key) {
    return store
        .segment(key.segmentId())
        .filter(segment -> Key.of(segment.info()).equals(key))
        .filter(segment -> !segment.owner().equals(owner))
        .isPresent();
  }

  private Optional<Descriptor> open(Key key, boolean writable) throws IOException {
    SegmentHold hold = holds.get(key);
    if (hold == null) {
      hold = store.hold(owner, key.segmentId(), key.incarnation()).orElse(null);
      if (hold == null) {
        return Optional.empty();
      }
      holds.put(key, hold);
    }
    try {
      return Optional.of(Descriptor.open(hold.segment().path(), writable));
    } catch (IOException e) {
      if (!Files.exists(hold.segment().path())) {
        holds.remove(key).close(); // it has gone meanwhile
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The task is gone; it may keep the descriptors that it has received. */
  @Override
  public void close() {
    holds.values().forEach(SegmentHold::close);
    holds.clear();
  }
}
