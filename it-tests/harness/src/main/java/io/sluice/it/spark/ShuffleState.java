package io.sluice.it.spark;

import java.util.Collection;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What shuffle managers of Sluice say of themselves in a sentence, taken apart.
 *
 * @param bytesByWay read over each transport, with answers, out of an executor's own pool or
 *     through Spark
 * @param takenOverBytes of outputs that others moved there
 * @param fallbacks how often something was left to Spark, by reason; another manager is one too
 */
public record ShuffleState(
    SortedMap<String, Long> bytesByWay, long takenOverBytes, SortedMap<String, Long> fallbacks) {
  private static final Pattern SENTENCE =
      Pattern.compile(
          "Sluice read \\{(.*)} bytes, took over (\\d+) bytes, and left to Spark: \\{(.*)}");
  private static final Set<String> NOT_FROM_PEERS_POOLS = Set.of("local", "spark");

  /** The sum of what some managers have said. */
  public static ShuffleState of(Collection<String> sentences) {
    SortedMap<String, Long> bytesByWay = new TreeMap<>();
    SortedMap<String, Long> fallbacks = new TreeMap<>();
    long takenOverBytes = 0;
    for (String sentence : sentences) {
      Matcher matcher = SENTENCE.matcher(sentence);
      if (matcher.matches()) {
        addAll(bytesByWay, matcher.group(1));
        takenOverBytes += Long.parseLong(matcher.group(2));
        addAll(fallbacks, matcher.group(3));
      } else {
        fallbacks.merge("no state of Sluice: " + sentence, 1L, Long::sum);
      }
    }
    return new ShuffleState(bytesByWay, takenOverBytes, fallbacks);
  }

  /** Adds up a map as Java prints it. */
  private static void addAll(SortedMap<String, Long> sums, String entries) {
    if (!entries.isEmpty()) {
      for (String entry : entries.split(", ")) {
        int end = entry.lastIndexOf('=');
        sums.merge(entry.substring(0, end), Long.parseLong(entry.substring(end + 1)), Long::sum);
      }
    }
  }

  /** Bytes of remote blocks that came out of pools. */
  public long servedBytes() {
    return bytesByWay.entrySet().stream()
        .filter(way -> !NOT_FROM_PEERS_POOLS.contains(way.getKey()))
        .mapToLong(way -> way.getValue())
        .sum();
  }
}
