package io.sluice.local.conf;

import io.sluice.memory.conf.MemorySettings;
import io.sluice.node.conf.Setting;
import io.sluice.node.conf.SettingNames;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Settings of jobs that run in the client's process. */
public final class LocalSettings {
  private static final Logger LOG = LoggerFactory.getLogger(LocalSettings.class);
  private static final String PREFIX = "sluice.local.";
  private static final int MOST_THREADS = 1024;

  /** Most map tasks at a time. */
  public static final Setting<OptionalInt> MAP_THREADS =
      Setting.optionalInteger(
          "sluice.local.map-threads",
          "one for each core",
          1,
          MOST_THREADS,
          "Map tasks of a job that run at a time.");

  /** Most reduce tasks at a time. */
  public static final Setting<OptionalInt> REDUCE_THREADS =
      Setting.optionalInteger(
          "sluice.local.reduce-threads",
          "one for each core",
          1,
          MOST_THREADS,
          "Reduce tasks of a job that run at a time.");

  /** Most maps that sort at a time. */
  public static final Setting<OptionalInt> SORT_THREADS =
      Setting.optionalInteger(
          "sluice.local.sort-threads",
          "one for each core",
          1,
          MOST_THREADS,
          "Map tasks of a job that sort their last records at a time, while other map tasks read"
              + " their input.");

  /** The exchange of records between maps and reduces. */
  public static final Setting<String> EXCHANGE =
      Setting.choice(
          "sluice.local.exchange",
          "How records get from maps to reduces. `pull`: each map sorts its own output. `push`:"
              + " all maps fill one sort buffer for each reduce. `hybrid`: the maps that run at a"
              + " time fill one sort buffer each, and the next map continues it. `auto` takes"
              + " `hybrid` for many small maps, else `pull`.",
          "auto",
          "pull",
          "push",
          "hybrid");

  /** The number of sort buffers of a hybrid exchange. */
  public static final Setting<OptionalInt> STREAMS =
      Setting.optionalInteger(
          "sluice.local.hybrid-streams",
          "as many as sluice.local.map-threads",
          1,
          MOST_THREADS,
          "Sort buffers of a hybrid exchange with `sluice.local.isolation=none`. Maps share"
              + " buffers if there are fewer buffers than running maps. With other isolations"
              + " each slot has one buffer.");

  /** The isolation of static fields between tasks. */
  public static final Setting<String> ISOLATION =
      Setting.choice(
          "sluice.local.isolation",
          "Tasks that share the static fields of classes other than Java's, Hadoop's and"
              + " Sluice's. `slot`: the tasks that run one after the other in one slot; a job has"
              + " as many slots as tasks at a time. `task`: no tasks. `none`: all tasks and the"
              + " client, for programs that keep nothing of a task in static fields.",
          "slot",
          "task",
          "none");

  private LocalSettings() {}

  /** All settings, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return List.of(MAP_THREADS, SORT_THREADS, REDUCE_THREADS, EXCHANGE, STREAMS, ISOLATION);
  }

  /** Warns of each name with this prefix in a configuration that is no setting. */
  public static void warnOfUnknown(Configuration conf) {
    SettingNames names =
        new SettingNames(
            Stream.of(all(), MemorySettings.all())
                .flatMap(List::stream)
                .map(Setting::name)
                .collect(Collectors.toSet()),
            Map.of());
    names
        .complaints(
            conf.getPropsWithPrefix(PREFIX).keySet().stream().map(rest -> PREFIX + rest).toList())
        .forEach(LOG::warn);
  }

  /** The tasks of a job that share static fields of classes other than Java's and Hadoop's. */
  public enum Isolation {
    /** Tasks that run one after the other in the same slot. */
    SLOT,
    /** No tasks. */
    TASK,
    /** All tasks of the job, and the client. */
    NONE;

    /** The isolation of a job. */
    public static Isolation of(JobConf job) {
      return valueOf(LocalSettings.ISOLATION.get(job::getTrimmed).toUpperCase(Locale.ROOT));
    }
  }
}
