package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.StoreStats.ApplicationUse;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The outputs that can be found, by application and by segment of memory, and sums of the bytes
 * that they hold. The sums are kept up to date: there may be a million outputs, and a monitor asks
 * every few seconds.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class OutputDirectory {
  private final Map<String, Outputs> applications = new HashMap<>();
  private final Map<Integer, Set<CommittedOutput>> segments = new HashMap<>(); // of memory
  private final HeapShares heap;

  /**
   * Without outputs.
   *
   * @param heap counts them by whose they are
   */
  OutputDirectory(HeapShares heap) {
    this.heap = heap;
  }

  /** Those of one application. */
  private final class Outputs {
    private final Map<OutputId, CommittedOutput> byId = new HashMap<>();
    private final EvictionOrder inMemory = new EvictionOrder();
    private final Map<Tier, Long> bytes = new EnumMap<>(Tier.class);

    long bytesOf(Tier tier) {
      return bytes.getOrDefault(tier, 0L);
    }

    /** Returns the one that it replaces, if any. */
    CommittedOutput put(CommittedOutput output) {
      account(output, 1);
      heap.addOutput(ownerOf(output), output.extents().size());
      CommittedOutput former = byId.put(output.id(), output);
      forget(former);
      inMemory.add(output);
      return former;
    }

    CommittedOutput remove(OutputId id) {
      CommittedOutput former = byId.remove(id);
      forget(former);
      return former;
    }

    private void forget(CommittedOutput former) {
      if (former != null) {
        account(former, -1);
        heap.removeOutput(ownerOf(former), former.extents().size());
        inMemory.remove(former.id());
      }
    }

    private void account(CommittedOutput output, int sign) {
      for (Tier tier : Tier.values()) {
        bytes.merge(tier, sign * output.location().bytesOf(tier), Long::sum);
      }
    }
  }

  private static Owner ownerOf(CommittedOutput output) {
    return output.location().tail().owner();
  }

  CommittedOutput find(OutputId id) {
    Outputs outputs = applications.get(id.applicationId());
    return outputs == null ? null : outputs.byId.get(id);
  }

  /** Adds one that has no copy; that of the same name goes. */
  void add(CommittedOutput output) {
    leave(
        applications.computeIfAbsent(output.id().applicationId(), id -> new Outputs()).put(output));
    for (int segmentId : memorySegments(output)) {
      segments.computeIfAbsent(segmentId, id -> new HashSet<>()).add(output);
    }
  }

  void remove(CommittedOutput output) {
    Outputs outputs = applications.get(output.id().applicationId());
    leave(outputs.remove(output.id()));
    if (outputs.byId.isEmpty()) {
      applications.remove(output.id().applicationId());
    }
  }

  private void leave(CommittedOutput former) {
    if (former == null) {
      return;
    }
    for (int segmentId : memorySegments(former)) {
      Set<CommittedOutput> there = segments.get(segmentId);
      there.remove(former);
      if (there.isEmpty()) {
        segments.remove(segmentId);
      }
    }
  }

  private static Set<Integer> memorySegments(CommittedOutput output) {
    return output.extents().stream()
        .map(Extent::segment)
        .filter(segment -> segment.tier() == Tier.MEMORY)
        .map(SegmentInfo::segmentId)
        .collect(Collectors.toSet());
  }

  /** An output that is here has a copy from now on, or has none. */
  void setCopied(OutputId id, boolean copied) {
    Outputs outputs = applications.get(id.applicationId());
    if (outputs != null) {
      outputs.inMemory.setCopied(id, copied);
    }
  }

  /** In which an application's outputs leave memory; empty if it has none. */
  Optional<EvictionOrder> moveOrder(String applicationId) {
    return Optional.ofNullable(applications.get(applicationId)).map(outputs -> outputs.inMemory);
  }

  List<CommittedOutput> of(String applicationId) {
    Outputs outputs = applications.get(applicationId);
    return outputs == null ? List.of() : List.copyOf(outputs.byId.values());
  }

  Set<String> applications() {
    return new TreeSet<>(applications.keySet());
  }

  /** Whether anybody else has outputs; those of one application are all of one user. */
  boolean hasOthers(Owner owner) {
    return applications.values().stream()
        .map(outputs -> outputs.byId.values().iterator().next())
        .anyMatch(output -> !ownerOf(output).equals(owner));
  }

  /** The outputs that lie in a segment of memory, all or in part. */
  List<CommittedOutput> in(int segmentId) {
    return List.copyOf(segments.getOrDefault(segmentId, Set.of()));
  }

  /** The bytes that each application holds, in no order. */
  List<ApplicationUse> uses() {
    return applications.entrySet().stream()
        .map(
            each ->
                new ApplicationUse(
                    each.getKey(),
                    each.getValue().bytesOf(Tier.MEMORY),
                    each.getValue().bytesOf(Tier.DISK)))
        .toList();
  }

  int size() {
    return applications.values().stream().mapToInt(outputs -> outputs.byId.size()).sum();
  }

  long bytesOf(Tier tier) {
    return applications.values().stream().mapToLong(outputs -> outputs.bytesOf(tier)).sum();
  }

  /**
   * Locations that outputs have left and that readers were told of. They stay as they were until
   * their blocks are wanted, because a reader that reads there need not ask again.
   *
   * <p>Thread contract: guarded by the lock of the store.
   */
  static final class StaleExtents {
    private final Map<OutputId, OutputLocation> locations = new LinkedHashMap<>(); // oldest first

    /** The output has left it; it moves once at most, from memory to disk. */
    void add(OutputId id, OutputLocation location) {
      locations.put(id, location);
    }

    boolean isEmpty() {
      return locations.isEmpty();
    }

    /** The oldest, for its blocks to be granted again. */
    Optional<OutputLocation> takeOldest() {
      Iterator<OutputLocation> oldest = locations.values().iterator();
      if (!oldest.hasNext()) {
        return Optional.empty();
      }
      OutputLocation location = oldest.next();
      oldest.remove();
      return Optional.of(location);
    }

    /** Takes those that lie in a segment, all or in part, for the same. */
    List<OutputLocation> takeIn(int segmentId) {
      List<OutputLocation> found =
          locations.values().stream().filter(location -> location.liesIn(segmentId)).toList();
      locations.values().removeAll(found);
      return found;
    }

    /** That of an output, which is freed. */
    Optional<OutputLocation> take(OutputId id) {
      return Optional.ofNullable(locations.remove(id));
    }
  }
}
