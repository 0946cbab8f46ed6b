package io.sluice.node.conf;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which names an engine's configuration may hold of Sluice, and what has become of names that it
 * may not any more: a setting that nobody reads must not go unnoticed.
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
   * One sentence for each name that nobody reads, in the order of the names.
   *
   * @param names those that are set and begin as Sluice's do
   */
  public List<String> complaints(Collection<String> names) {
    return names.stream().filter(name -> !known.contains(name)).sorted().map(this::about).toList();
  }

  private String about(String name) {
    return renamed.containsKey(name)
        ? name + " is now called " + renamed.get(name)
        : name + " is no setting of Sluice";
  }
}
