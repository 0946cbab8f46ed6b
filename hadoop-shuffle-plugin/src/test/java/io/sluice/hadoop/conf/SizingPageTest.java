package io.sluice.hadoop.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.node.conf.Setting;
import io.sluice.node.metrics.Metric;
import io.sluice.node.metrics.NodeMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;

/** Every setting, metric and counter that the page on sizing names exists. */
final class SizingPageTest {
  private static final Pattern OUR_SETTING = Pattern.compile("\\bsluice\\.[a-z]+\\.[a-z-]+");
  private static final Pattern STOCKS_SETTING =
      Pattern.compile("\\b(?:yarn|mapreduce)\\.[a-z]+\\.[a-z.-]+[a-z]");
  private static final Pattern METRIC = Pattern.compile("\\bsluice_\\w+");
  private static final Pattern COUNTER = Pattern.compile("`([A-Z]+_[A-Z_]+)`");

  private static Set<String> named(Pattern pattern, int group) throws IOException {
    Set<String> found =
        pattern
            .matcher(Files.readString(Path.of("..", "docs", "sizing.md")))
            .results()
            .map((MatchResult name) -> name.group(group))
            .collect(Collectors.toCollection(TreeSet::new));
    assertFalse(found.isEmpty(), "the page names nothing like " + pattern);
    return found;
  }

  @Test
  void settings() throws IOException {
    Set<String> ours = named(OUR_SETTING, 0);
    ours.removeAll(UnknownSettings.all().map(Setting::name).toList());
    assertEquals(Set.of(), ours);
    Configuration stock = new JobConf(new YarnConfiguration());
    Set<String> stocks = named(STOCKS_SETTING, 0);
    stocks.removeIf(name -> stock.get(name) != null);
    assertEquals(Set.of(), stocks);
  }

  @Test
  void metrics() throws IOException {
    Set<String> named = named(METRIC, 0);
    named.removeAll(NodeMetrics.all().stream().map(Metric::name).toList());
    assertEquals(Set.of(), named);
  }

  @Test
  void counters() throws IOException {
    Set<String> named = named(COUNTER, 1);
    named.removeAll(Arrays.stream(SluiceCounter.values()).map(Enum::name).toList());
    named.removeAll(Arrays.stream(TaskCounter.values()).map(Enum::name).toList());
    assertEquals(Set.of(), named);
  }
}
