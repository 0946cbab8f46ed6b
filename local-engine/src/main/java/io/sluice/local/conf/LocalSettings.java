package io.sluice.local.conf;

import io.sluice.node.conf.Setting;
import java.util.List;
import java.util.OptionalInt;

/** What may be set of jobs that run in the client's own process. */
public final class LocalSettings {
  private static final int MOST_THREADS = 1024;

  /** Map tasks at a time. */
  public static final Setting<OptionalInt> MAP_THREADS =
      Setting.optionalInteger(
          "sluice.local.map-threads",
          "one for each core",
          1,
          MOST_THREADS,
          "Map tasks of a job that run at a time.");

  /** Reduce tasks at a time. */
  public static final Setting<OptionalInt> REDUCE_THREADS =
      Setting.optionalInteger(
          "sluice.local.reduce-threads",
          "one for each core",
          1,
          MOST_THREADS,
          "Reduce tasks of a job that run at a time.");

  private LocalSettings() {}

  /** All of them, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return List.of(MAP_THREADS, REDUCE_THREADS);
  }
}
