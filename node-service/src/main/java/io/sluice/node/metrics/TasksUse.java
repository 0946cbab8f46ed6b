package io.sluice.node.metrics;

import io.sluice.node.ledger.Holding;
import io.sluice.node.ledger.MemoryKind;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the tasks of one application hold of a node's memory.
 *
 * @param bytes by kind, where they hold some
 */
record TasksUse(String user, String application, Map<MemoryKind, Long> bytes) {
  /** Those who hold most, of those who hold anything, the largest first. */
  static List<TasksUse> largest(List<Holding> holdings, int count) {
    Map<List<String>, TasksUse> uses = new HashMap<>();
    for (Holding holding : holdings) {
      String user = holding.who().user();
      String application = holding.who().application();
      TasksUse use =
          uses.computeIfAbsent(
              List.of(user, application),
              key -> new TasksUse(user, application, new EnumMap<>(MemoryKind.class)));
      holding.bytes().forEach((kind, bytes) -> use.bytes().merge(kind, bytes, Long::sum));
    }
    return uses.values().stream()
        .filter(use -> use.totalBytes() > 0)
        .sorted(Comparator.comparingLong(TasksUse::totalBytes).reversed())
        .limit(count)
        .toList();
  }

  private long totalBytes() {
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }
}
