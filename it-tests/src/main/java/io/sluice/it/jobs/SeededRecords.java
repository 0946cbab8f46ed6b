package io.sluice.it.jobs;

import java.util.SplittableRandom;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.WritableComparable;

/** The records of one map task, the same for the same seed and task. Not thread-safe. */
final class SeededRecords {
  private final ScenarioConf conf;
  private final SplittableRandom random;
  private long emitted;
  private WritableComparable<?> key;
  private BytesWritable value;

  SeededRecords(ScenarioConf conf, int mapIndex) {
    this.conf = conf;
    this.random = new SplittableRandom(conf.seed() * 1_000_003 + mapIndex);
  }

  boolean next() {
    if (emitted == conf.recordsPerMap()) {
      return false;
    }
    boolean hot = random.nextInt(100) < conf.hotKeyPercent();
    key = conf.keyType().key(hot ? 0 : random.nextLong(conf.distinctKeys()));
    boolean huge = emitted == 0 && conf.hugeValueLengthBytes() > 0;
    byte[] bytes =
        new byte
            [huge ? conf.hugeValueLengthBytes() : random.nextInt(conf.maxValueLengthBytes() + 1)];
    random.nextBytes(bytes);
    value = new BytesWritable(bytes);
    emitted++;
    return true;
  }

  WritableComparable<?> key() {
    return key;
  }

  BytesWritable value() {
    return value;
  }

  float progress() {
    return conf.recordsPerMap() == 0 ? 1 : (float) emitted / conf.recordsPerMap();
  }
}
