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
 * Finds names in a configuration that begin as Sluice's settings do, and are no settings. A job's
 * configuration holds {@code yarn-site.xml} as well, so every side knows the settings of both. A
 * job is only warned: it must not fail for an entry of a NodeManager's file. A NodeManager's
 * service refuses to start: a misspelt restriction must not leave it unrestricted.
 */
public final class UnknownSettings {
  private static final Logger LOG = LoggerFactory.getLogger(UnknownSettings.class);
  private static final String PREFIX = "sluice.";

  /** Settings of jobs in their client's process, which checks these itself. */
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

  /** Logs a warning for each. */
  public static void warn(Configuration conf) {
    in(conf).forEach(LOG::warn);
  }

  /**
   * Logs a warning for each, and counts the first by its name. A job's client prints the counters
   * at its end; on YARN no code of Sluice runs in the client.
   */
  public static void tell(Configuration conf, Reporter reporter) {
    List<String> names = set(conf);
    NAMES.complaints(names).forEach(LOG::warn);
    NAMES.unknown(names).stream()
        .findFirst()
        .ifPresent(name -> SluiceCounter.add(reporter, counter(name), 1));
  }

  /** The name of its counter: short, since Hadoop cuts names after 64 letters. */
  static String counter(String name) {
    return "NO_SETTING "
        + name.substring(PREFIX.length())
        + NAMES
            .nearest(name)
            .map(nearest -> " (nearest " + nearest.substring(PREFIX.length()) + ")")
            .orElse("");
  }

  /**
   * Refuses a configuration with such a name.
   *
   * @throws IllegalArgumentException with a sentence for each
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
    return Stream.of(
            JobSettings.all(),
            NodeSettings.all(),
            NodeSettings.VERBS.all(),
            NodeSettings.LIMITS.forExperiments())
        .flatMap(List::stream);
  }
}
