package io.sluice.hadoop.conf;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.node.conf.Setting;
import io.sluice.node.conf.SettingNames;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.Reporter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names of Sluice's kind in a configuration that are no settings. A job's configuration holds
 * {@code yarn-site.xml} as well, so every side knows the settings of both. A job is warned of them,
 * because it must not fail for what a NodeManager's file says; a NodeManager's service refuses to
 * start, because who restricted it by a name that is read no more must not find it unrestricted.
 */
public final class UnknownSettings {
  private static final Logger LOG = LoggerFactory.getLogger(UnknownSettings.class);
  private static final String PREFIX = "sluice.";

  /** Of jobs in their client's process, which looks at these itself. */
  private static final String IN_ONE_PROCESS = "local.";

  private static final SettingNames NAMES =
      new SettingNames(
          all().map(Setting::name).collect(Collectors.toSet()),
          Map.of(
              "sluice.transport",
              JobSettings.TRANSPORT.name()
                  + " (of jobs) and "
                  + NodeSettings.TRANSPORT.name()
                  + " (of NodeManagers)",
              "sluice.bounce.buffer-mb",
              NodeSettings.BOUNCE_BUFFER_MB.name()));

  private UnknownSettings() {}

  /** Warns of each. */
  public static void warn(Configuration conf) {
    in(conf).forEach(LOG::warn);
  }

  /**
   * The same, and counts one of them by its name. The counters of a job are what its client prints
   * when it has ended; on YARN nothing of Sluice's runs there.
   */
  public static void tell(Configuration conf, Reporter reporter) {
    List<String> names = set(conf);
    NAMES.complaints(names).forEach(LOG::warn);
    NAMES.unknown(names).stream()
        .findFirst()
        .ifPresent(name -> SluiceCounter.add(reporter, counter(name), 1));
  }

  /** Short, since Hadoop cuts the name of a counter after 64 letters. */
  static String counter(String name) {
    return "NO_SETTING "
        + name.substring(PREFIX.length())
        + NAMES
            .nearest(name)
            .map(nearest -> " (nearest " + nearest.substring(PREFIX.length()) + ")")
            .orElse("");
  }

  /**
   * Throws if there is one.
   *
   * @throws IllegalArgumentException that has a sentence for each
   */
  public static void refuse(Configuration conf) {
    List<String> complaints = in(conf);
    if (!complaints.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", complaints));
    }
  }

  /** A sentence for each. */
  static List<String> in(Configuration conf) {
    return NAMES.complaints(set(conf));
  }

  private static List<String> set(Configuration conf) {
    return conf.getPropsWithPrefix(PREFIX).keySet().stream()
        .filter(rest -> !rest.startsWith(IN_ONE_PROCESS))
        .map(rest -> PREFIX + rest)
        .toList();
  }

  /** Every setting of Hadoop's, for experiments too. */
  static Stream<Setting<?>> all() {
    return Stream.of(JobSettings.all(), NodeSettings.all(), NodeSettings.LIMITS.forExperiments())
        .flatMap(List::stream);
  }
}
