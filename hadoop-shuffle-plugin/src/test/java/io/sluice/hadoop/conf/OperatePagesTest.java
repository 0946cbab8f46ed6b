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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every setting, metric and counter that the pages for administrators name exists. */
final class OperatePagesTest {
  private static final Pattern OUR_SETTING =
      Pattern.compile("(?<!\\bio\\.)\\bsluice\\.[a-z]+\\.[a-z-]+");
  private static final Pattern STOCKS_SETTING =
      Pattern.compile("\\b(?:yarn|mapreduce)\\.[a-z]+\\.[a-z.-]+[a-z]\\b");
  private static final Pattern METRIC = Pattern.compile("\\bsluice_\\w+\\b(?!\\*)");
  private static final Pattern COUNTER = Pattern.compile("`([A-Z]+_[A-Z_]+)`");

  /** Of pages that name some of each kind, so that no pattern above finds nothing. */
  private static final String RICH = "sizing.md";

  /** Written as metrics are: the service's name in yarn-site.xml. */
  private static final Set<String> NO_METRICS = Set.of("sluice_shuffle");

  /** Written as counters are: names of variables and of a library, and the first of two words. */
  private static final Set<String> NO_COUNTERS =
      Set.of(
          "HADOOP_CLASSPATH",
          "NO_SETTING",
          "UCP_MEM_MAP_PROT_REMOTE_READ",
          "YARN_NODEMANAGER_OPTS");

  /** All but that on the doctor, which shows what is wrong. */
  static List<String> pages() {
    return List.of(
        RICH,
        "choosing-a-transport.md",
        "class-archive.md",
        "connections.md",
        "counters.md",
        "disk-tier.md",
        "encryption.md",
        "fallback.md",
        "hosts.md",
        "install.md",
        "is-it-working.md",
        "limits.md",
        "lost-outputs.md",
        "metrics.md",
        "nodemanager-memory.md",
        "pools.md",
        "ports.md",
        "restart.md",
        "security.md",
        "task-memory.md",
        "troubleshooting.md",
        "troubleshooting-jobs.md",
        "upgrade.md");
  }

  private static Set<String> named(String page, Pattern pattern, int group) throws IOException {
    Set<String> found =
        pattern
            .matcher(Files.readString(Path.of("..", "docs", page)))
            .results()
            .map((MatchResult name) -> name.group(group))
            .collect(Collectors.toCollection(TreeSet::new));
    assertFalse(page.equals(RICH) && found.isEmpty(), "the page names nothing like " + pattern);
    return found;
  }

  /** Those of stock have a default, or a constant. */
  private static Set<String> stocksSettings() throws IllegalAccessException {
    Set<String> names = new TreeSet<>();
    for (Class<?> type : List.of(MRConfig.class, MRJobConfig.class, YarnConfiguration.class)) {
      for (var field : type.getFields()) {
        if (field.getType() == String.class) {
          names.add((String) field.get(null));
        }
      }
    }
    return names;
  }

  @ParameterizedTest
  @MethodSource("pages")
  void settings(String page) throws Exception {
    Set<String> ours = named(page, OUR_SETTING, 0);
    ours.removeAll(UnknownSettings.all().map(Setting::name).toList());
    assertEquals(Set.of(), ours);
    Configuration stock = new JobConf(new YarnConfiguration());
    Set<String> constants = stocksSettings();
    Set<String> stocks = named(page, STOCKS_SETTING, 0);
    stocks.removeIf(name -> stock.get(name) != null || constants.contains(name));
    assertEquals(Set.of(), stocks);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void metrics(String page) throws IOException {
    Set<String> named = named(page, METRIC, 0);
    named.removeAll(NO_METRICS);
    named.removeAll(NodeMetrics.all().stream().map(Metric::name).toList());
    assertEquals(Set.of(), named);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void counters(String page) throws IOException {
    Set<String> named = named(page, COUNTER, 1);
    named.removeAll(NO_COUNTERS);
    named.removeAll(
        Stream.of(SluiceCounter.values(), TaskCounter.values())
            .flatMap(Arrays::stream)
            .map(Enum::name)
            .toList());
    assertEquals(Set.of(), named);
  }
}
