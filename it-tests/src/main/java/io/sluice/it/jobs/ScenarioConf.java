package io.sluice.it.jobs;

import org.apache.hadoop.conf.Configuration;

/**
 * What a scenario job is told through its configuration.
 *
 * @param maps number of map tasks
 * @param recordsPerMap records each of them emits
 * @param distinctKeys how many different keys there are
 * @param hotKeyPercent share of the records that have key number 0
 * @param maxValueLengthBytes values are between 0 and this long
 * @param hugeValueLengthBytes length of the value of each map's first record; 0 for none huge
 * @param keyType TEXT, BYTES, INT, LONG or EMPTY
 * @param seed the same seed makes the same records
 */
public record ScenarioConf(
    int maps,
    long recordsPerMap,
    long distinctKeys,
    int hotKeyPercent,
    int maxValueLengthBytes,
    int hugeValueLengthBytes,
    KeyType keyType,
    long seed) {
  public static final String MAPS = "scenario.maps";
  public static final String RECORDS_PER_MAP = "scenario.records-per-map";
  public static final String DISTINCT_KEYS = "scenario.distinct-keys";
  public static final String HOT_KEY_PERCENT = "scenario.hot-key-percent";
  public static final String MAX_VALUE_LENGTH = "scenario.max-value-length-bytes";
  public static final String HUGE_VALUE_LENGTH = "scenario.huge-value-length-bytes";
  public static final String KEY_TYPE = "scenario.key-type";
  public static final String SEED = "scenario.seed";

  /** Combine values by adding them up: {@code true} or {@code false}. */
  public static final String COMBINE = "scenario.combine";

  /** Sort keys by their bytes backwards, with a comparator of the job's own. */
  public static final String REVERSE = "scenario.reverse";

  /** How much of its heap each map task fills with what is its own. */
  public static final String MAP_HEAP_MB = "scenario.map-heap-mb";

  /** The same of each reduce task of {@link ScenarioJob}. */
  public static final String REDUCE_HEAP_MB = "scenario.reduce-heap-mb";

  /** Directory with the gate at the end of each map task; see {@link Gate}. */
  public static final String MAP_GATE = "scenario.map-gate";

  /** Directory with the gate in the middle of each reduce task. */
  public static final String REDUCE_GATE = "scenario.reduce-gate";

  /** How many keys a reduce task reduces before it comes to its gate. */
  public static final String REDUCE_GATE_KEYS = "scenario.reduce-gate-keys";

  public static ScenarioConf of(Configuration conf) {
    return new ScenarioConf(
        conf.getInt(MAPS, 2),
        conf.getLong(RECORDS_PER_MAP, 10_000),
        conf.getLong(DISTINCT_KEYS, 1_000),
        conf.getInt(HOT_KEY_PERCENT, 0),
        conf.getInt(MAX_VALUE_LENGTH, 64),
        conf.getInt(HUGE_VALUE_LENGTH, 0),
        conf.getEnum(KEY_TYPE, KeyType.TEXT),
        conf.getLong(SEED, 1));
  }
}
