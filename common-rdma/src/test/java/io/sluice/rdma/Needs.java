package io.sluice.rdma;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which package needs which, and the files that make it so. */
final class Needs {
  private final Map<String, Map<String, TreeSet<String>>> all = new TreeMap<>();

  /** What needs itself does not count. */
  void add(String from, String to, String by) {
    if (!from.equals(to)) {
      needsOf(from).computeIfAbsent(to, none -> new TreeSet<>()).add(by);
    }
  }

  private Map<String, TreeSet<String>> needsOf(String one) {
    return all.computeIfAbsent(one, none -> new TreeMap<>());
  }

  private Set<String> neededBy(String one) {
    return all.getOrDefault(one, Map.of()).keySet();
  }

  /** Those from one to another, both included; empty if it does not need the other. */
  private List<String> way(String from, String to) {
    Map<String, String> cameFrom = new HashMap<>(Map.of(from, ""));
    Queue<String> next = new ArrayDeque<>(List.of(from));
    while (!next.isEmpty() && !cameFrom.containsKey(to)) {
      String here = next.remove();
      for (String there : neededBy(here)) {
        if (cameFrom.putIfAbsent(there, here) == null) {
          next.add(there);
        }
      }
    }
    List<String> way = new ArrayList<>();
    for (String step = cameFrom.containsKey(to) ? to : "";
        !step.isEmpty();
        step = cameFrom.get(step)) {
      way.add(0, step);
    }
    return way;
  }

  /** A circle in words, with what makes it, if there is one. */
  Optional<String> circle() {
    for (String from : all.keySet()) {
      for (String to : neededBy(from)) {
        List<String> back = way(to, from);
        if (!back.isEmpty()) {
          StringBuilder words = new StringBuilder(from);
          String here = from;
          for (String there : back) {
            words.append("\n  needs %s (%s)".formatted(there, needsOf(here).get(there)));
            here = there;
          }
          return Optional.of(words.toString());
        }
      }
    }
    return Optional.empty();
  }
}
