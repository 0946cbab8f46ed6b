package io.sluice.it.job;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a job's map output really went through, as Sluice's counters tell it: stock leaves none.
 *
 * @param transport the ways bytes were read, most bytes first
 * @param tier the tiers map output was spilled to, most bytes first
 * @param fallbacks how often something was left to stock, by reason
 */
public record ShufflePath(String transport, String tier, Map<String, Long> fallbacks) {
  private static final String READ = "READ_BYTES_";
  private static final String SPILL = "SPILL_BYTES_";
  private static final String FALLBACK = "FALLBACK_";

  static ShufflePath of(JobCounters counters) {
    if (counters.group(JobCounters.SLUICE).isEmpty()) {
      return new ShufflePath("http", "disk", Map.of());
    }
    return new ShufflePath(
        String.join("+", names(counters, READ)),
        String.join("+", names(counters, SPILL)),
        nonZero(counters, FALLBACK));
  }

  public long fallbackCount() {
    return fallbacks.values().stream().mapToLong(Long::longValue).sum();
  }

  private static List<String> names(JobCounters counters, String prefix) {
    return nonZero(counters, prefix).entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static Map<String, Long> nonZero(JobCounters counters, String prefix) {
    return counters.group(JobCounters.SLUICE).entrySet().stream()
        .filter(counter -> counter.getKey().startsWith(prefix) && counter.getValue() != 0)
        .collect(
            Collectors.toMap(
                counter -> counter.getKey().substring(prefix.length()).toLowerCase(),
                Map.Entry::getValue));
  }
}
