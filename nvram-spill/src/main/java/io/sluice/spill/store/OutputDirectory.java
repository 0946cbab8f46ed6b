package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Tier;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The outputs that can be found, by application.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class OutputDirectory {
  private final Map<String, Map<OutputId, CommittedOutput>> applications = new HashMap<>();

  CommittedOutput find(OutputId id) {
    return applications.getOrDefault(id.applicationId(), Map.of()).get(id);
  }

  void add(CommittedOutput output) {
    applications
        .computeIfAbsent(output.id().applicationId(), id -> new HashMap<>())
        .put(output.id(), output);
  }

  void remove(CommittedOutput output) {
    Map<OutputId, CommittedOutput> outputs = applications.get(output.id().applicationId());
    outputs.remove(output.id());
    if (outputs.isEmpty()) {
      applications.remove(output.id().applicationId());
    }
  }

  List<CommittedOutput> of(String applicationId) {
    return List.copyOf(applications.getOrDefault(applicationId, Map.of()).values());
  }

  Set<String> applications() {
    return new TreeSet<>(applications.keySet());
  }

  int size() {
    return applications.values().stream().mapToInt(Map::size).sum();
  }

  long bytesOf(Tier tier) {
    return applications.values().stream()
        .map(Map::values)
        .flatMap(Collection::stream)
        .mapToLong(output -> output.place().bytesOf(tier))
        .sum();
  }
}
