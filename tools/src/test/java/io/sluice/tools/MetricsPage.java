package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A page that Prometheus has read, and what of an expression is not on it. */
final class MetricsPage {
  private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)(?:\\{([^}]*)})? \\S+$");
  private static final Pattern METRIC = Pattern.compile("\\bsluice_\\w+");
  private static final Pattern BY = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Pattern SELECTOR = Pattern.compile("\\{([^}]*)}");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)(?:=~?|!=)\"([^\"]*)\"");

  /** Prometheus adds it itself. */
  private static final String INSTANCE = "instance";

  private final Map<String, Map<String, Set<String>>> samples = new HashMap<>();

  MetricsPage(String page) {
    for (MatchResult sample : SAMPLE.matcher(page).results().toList()) {
      Map<String, Set<String>> labels =
          samples.computeIfAbsent(sample.group(1), n -> new HashMap<>());
      if (sample.group(2) != null) {
        for (MatchResult label : MATCHER.matcher(sample.group(2)).results().toList()) {
          labels.computeIfAbsent(label.group(1), n -> new HashSet<>()).add(label.group(2));
        }
      }
    }
  }

  /** The names of its samples. */
  Set<String> names() {
    return samples.keySet();
  }

  /** The metrics of Sluice that an expression names. */
  static List<String> metrics(String expression) {
    return METRIC.matcher(expression).results().map(MatchResult::group).distinct().toList();
  }

  /** The labels by which an expression groups. */
  static Set<String> groups(String expression) {
    Set<String> groups = new HashSet<>();
    for (MatchResult by : BY.matcher(expression).results().toList()) {
      groups.addAll(List.of(by.group(1).split(", *")));
    }
    return groups;
  }

  /** The metrics, labels and values of an expression that the page has not. */
  List<String> missing(String expression) {
    List<String> missing = new ArrayList<>();
    List<String> metrics = metrics(expression);
    assertTrue(!metrics.isEmpty(), expression);
    for (String metric : metrics) {
      Map<String, Set<String>> labels = samples.get(metric);
      if (labels == null) {
        missing.add(metric);
        continue;
      }
      groups(expression).stream()
          .filter(label -> !labels.containsKey(label) && !label.equals(INSTANCE))
          .forEach(label -> missing.add(metric + " by " + label));
      for (MatchResult selector : SELECTOR.matcher(expression).results().toList()) {
        for (MatchResult each : MATCHER.matcher(selector.group(1)).results().toList()) {
          if (!labels.getOrDefault(each.group(1), Set.of()).contains(each.group(2))) {
            missing.add(metric + " with " + each.group());
          }
        }
      }
    }
    return missing;
  }
}
