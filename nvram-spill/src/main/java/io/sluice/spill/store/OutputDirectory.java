package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Tier;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The outputs that can be found, by application, with a running account of what they hold: there
 * may be a million, and whoever watches asks every few seconds.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class OutputDirectory {
  private final Map<String, Outputs> applications = new HashMap<>();
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
    private final Map<Tier, Long> bytes = new EnumMap<>(Tier.class);

    long bytesOf(Tier tier) {
      return bytes.getOrDefault(tier, 0L);
    }

    void put(CommittedOutput output) {
      account(output, 1);
      heap.addOutput(ownerOf(output), output.extents().size());
      forget(byId.put(output.id(), output));
    }

    void remove(CommittedOutput output) {
      forget(byId.remove(output.id()));
    }

    private void forget(CommittedOutput former) {
      if (former != null) {
        account(former, -1);
        heap.removeOutput(ownerOf(former), former.extents().size());
      }
    }

    private void account(CommittedOutput output, int sign) {
      for (Tier tier : Tier.values()) {
        bytes.merge(tier, sign * output.place().bytesOf(tier), Long::sum);
      }
    }
  }

  private static Owner ownerOf(CommittedOutput output) {
    return output.place().tail().owner();
  }

  CommittedOutput find(OutputId id) {
    Outputs outputs = applications.get(id.applicationId());
    return outputs == null ? null : outputs.byId.get(id);
  }

  void add(CommittedOutput output) {
    applications.computeIfAbsent(output.id().applicationId(), id -> new Outputs()).put(output);
  }

  void remove(CommittedOutput output) {
    Outputs outputs = applications.get(output.id().applicationId());
    outputs.remove(output);
    if (outputs.byId.isEmpty()) {
      applications.remove(output.id().applicationId());
    }
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

  /** Those of which something lies in a segment, whosever they are. */
  List<CommittedOutput> in(int segmentId) {
    return applications.values().stream()
        .flatMap(outputs -> outputs.byId.values().stream())
        .filter(output -> output.place().liesIn(segmentId))
        .toList();
  }

  /** What each holds, in no order. */
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
}
