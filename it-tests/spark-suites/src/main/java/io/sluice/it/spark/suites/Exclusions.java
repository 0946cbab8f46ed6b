package io.sluice.it.spark.suites;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tests that are not run, each with its reason: {@code exclusions.txt} has a suite in a line of its
 * own, below it a test indented by two blanks, below that the reason indented by four.
 *
 * @param reasons by suite, then by test
 */
public record Exclusions(Map<String, Map<String, String>> reasons) {
  private static final String RESOURCE = "/exclusions.txt";
  private static final String TEST = "  ";
  private static final String REASON = "    ";

  /** Those of this module. */
  public static Exclusions load() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                Exclusions.class.getResourceAsStream(RESOURCE), StandardCharsets.UTF_8))) {
      return parse(reader.lines().toList());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + RESOURCE, e);
    }
  }

  static Exclusions parse(List<String> lines) {
    Map<String, Map<String, String>> reasons = new LinkedHashMap<>();
    Map<String, String> suite = null;
    String test = null;
    for (String line : lines) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith(REASON) && test != null) {
        suite.merge(test, line.strip(), (before, more) -> before + " " + more);
      } else if (line.startsWith(TEST) && !line.startsWith(REASON) && suite != null) {
        requireReason(suite, test);
        test = line.strip();
      } else if (!line.startsWith(" ")) {
        requireReason(suite, test);
        suite = reasons.computeIfAbsent(line.strip(), name -> new LinkedHashMap<>());
        test = null;
      } else {
        throw new IllegalArgumentException("neither suite, test nor reason: " + line);
      }
    }
    requireReason(suite, test);
    return new Exclusions(reasons);
  }

  private static void requireReason(Map<String, String> suite, String test) {
    if (test != null && !suite.containsKey(test)) {
      throw new IllegalArgumentException("excluded without a reason: " + test);
    }
  }

  /** Those of a suite, by test. */
  public Map<String, String> of(String suite) {
    return reasons.getOrDefault(suite, Map.of());
  }

  /** The excluded tests that a suite does not have: they were renamed, and run. */
  public List<String> unknown(String suite, Set<String> tests) {
    return of(suite).keySet().stream().filter(test -> !tests.contains(test)).toList();
  }

  /** All suites that exclude something. */
  public Set<String> suites() {
    return Collections.unmodifiableSet(reasons.keySet());
  }
}
