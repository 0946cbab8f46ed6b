package io.sluice.node.conf;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The names of Sluice's settings that an engine's configuration may hold, and the new names of
 * those that were renamed: a setting that nobody reads must not go unnoticed.
 *
 * @param known names that are read
 * @param renamed for names that were read once, what to set instead
 */
public record SettingNames(Set<String> known, Map<String, String> renamed) {
  public SettingNames {
    known = Set.copyOf(known);
    renamed = Map.copyOf(renamed);
  }

  /**
   * The names that nobody reads, in their order.
   *
   * @param names those that are set and begin as Sluice's do
   */
  public List<String> unknown(Collection<String> names) {
    return names.stream().filter(name -> !known.contains(name)).sorted().toList();
  }

  /** One sentence for each of those. */
  public List<String> complaints(Collection<String> names) {
    return unknown(names).stream().map(this::about).toList();
  }

  private String about(String name) {
    if (renamed.containsKey(name)) {
      return name + " is now called " + renamed.get(name);
    }
    return nearest(name)
        .map(nearest -> name + " is no setting of Sluice; the nearest name is " + nearest)
        .orElse(name + " is no setting of Sluice");
  }

  /** The known name that the fewest letters make of this one; empty if all are quite different. */
  public Optional<String> nearest(String name) {
    return known.stream()
        .filter(candidate -> distance(name, candidate) <= name.length() / 3)
        .min(
            Comparator.<String>comparingInt(candidate -> distance(name, candidate))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** How many letters are to be added, taken out or replaced (Levenshtein, 1966). */
  private static int distance(String from, String to) {
    int[] row = IntStream.rangeClosed(0, to.length()).toArray();
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
