package io.sluice.it.scenario;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Compares one reduce task's output with another's: the keys must come in the same order, and the
 * records must be the same multiset. The order of equal keys' values is nobody's promise.
 */
final class OutputComparison {
  private OutputComparison() {}

  /** What differs first, or nothing. */
  static Optional<String> difference(List<String> expected, List<String> actual) {
    if (expected.size() != actual.size()) {
      return Optional.of(
          "%d records, expected %d; %s"
              .formatted(actual.size(), expected.size(), missing(expected, actual)));
    }
    for (int i = 0; i < expected.size(); i++) {
      if (!key(expected.get(i)).equals(key(actual.get(i)))) {
        return Optional.of(
            "record %d has key %s, expected %s"
                .formatted(i, key(actual.get(i)), key(expected.get(i))));
      }
    }
    return count(expected).equals(count(actual))
        ? Optional.empty()
        : Optional.of("same keys, other values; " + missing(expected, actual));
  }

  private static String missing(List<String> expected, List<String> actual) {
    Map<String, Long> left = new HashMap<>(count(expected));
    actual.forEach(record -> left.merge(record, -1L, Long::sum));
    return left.entrySet().stream()
        .filter(record -> record.getValue() != 0)
        .limit(5)
        .map(record -> "%s %+d times".formatted(record.getKey(), -record.getValue()))
        .sorted()
        .collect(Collectors.joining(", ", "such as ", ""));
  }

  private static Map<String, Long> count(List<String> records) {
    return records.stream().collect(Collectors.groupingBy(record -> record, Collectors.counting()));
  }

  private static String key(String record) {
    return record.substring(0, record.indexOf('\t'));
  }
}
