package io.sluice.it.jobs;

import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;

/**
 * The settings of a scenario job, which are in its configuration.
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

  /** The key types of scenario jobs, and how key number n looks in each. */
  public enum KeyType {
    TEXT(Text.class) {
      @Override
      WritableComparable<?> key(long number) {
        // Number 0 is the empty text; shared prefixes and different lengths for the others.
        return new Text(number == 0 ? "" : "key-" + Long.toString(number * 2_654_435_761L, 36));
      }
    },
    /** Text that no other scenario's keys have, to be looked for in what a job leaves. */
    MARKED(Text.class) {
      @Override
      WritableComparable<?> key(long number) {
        return new Text("mark-" + Long.toString(number * 2_654_435_761L, 36));
      }
    },
    BYTES(BytesWritable.class) {
      @Override
      WritableComparable<?> key(long number) {
        return new BytesWritable(
            ByteBuffer.allocate(Long.BYTES).putLong(number * 0x9E3779B97F4A7C15L).array());
      }
    },
    INT(IntWritable.class) {
      @Override
      WritableComparable<?> key(long number) {
        return new IntWritable((int) (number * 2_654_435_761L));
      }
    },
    LONG(LongWritable.class) {
      @Override
      WritableComparable<?> key(long number) {
        return new LongWritable(number * 0x9E3779B97F4A7C15L);
      }
    },
    /**
     * Serialized to no bytes at all. Its hash code differs from JVM to JVM, so that only jobs with
     * one reduce have the same output twice.
     */
    EMPTY(NullWritable.class) {
      @Override
      WritableComparable<?> key(long number) {
        return NullWritable.get();
      }
    };

    private final Class<? extends WritableComparable<?>> type;

    @SuppressWarnings("unchecked")
    KeyType(Class<?> type) {
      this.type = (Class<? extends WritableComparable<?>>) type;
    }

    Class<? extends WritableComparable<?>> type() {
      return type;
    }

    abstract WritableComparable<?> key(long number);
  }
}
