package io.sluice.it.jobs;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapreduce.InputSplit;

/**
 * The records of one map task, the same for the same seed and task, and how outputs write them, so
 * that they can be compared as lines of text. Not thread-safe.
 */
final class SeededRecords {
  private static final int LONGEST_PLAIN_VALUE_BYTES = 32;

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

  /** A key as a line of an output has it: the hex of its serialized bytes. */
  static Text keyText(Writable key) throws IOException {
    DataOutputBuffer serialized = new DataOutputBuffer();
    key.write(serialized);
    return new Text(
        "k" + HexFormat.of().formatHex(serialized.getData(), 0, serialized.getLength()));
  }

  /** A value as a line of an output has it: a number, short bytes in hex, or length and hash. */
  static Text valueText(Writable value) {
    if (value instanceof LongWritable number) {
      return new Text(number.toString());
    }
    BytesWritable bytes = (BytesWritable) value;
    return new Text(
        bytes.getLength() <= LONGEST_PLAIN_VALUE_BYTES
            ? "v" + HexFormat.of().formatHex(bytes.getBytes(), 0, bytes.getLength())
            : "length=%d crc=%x".formatted(bytes.getLength(), crc(bytes)));
  }

  private static long crc(BytesWritable bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.getBytes(), 0, bytes.getLength());
    return crc.getValue();
  }

  /** The input of one map task, in both APIs: just its number. */
  public static final class MapIndexSplit extends InputSplit
      implements Writable, org.apache.hadoop.mapred.InputSplit {
    private int index;

    public MapIndexSplit() {}

    MapIndexSplit(int index) {
      this.index = index;
    }

    int index() {
      return index;
    }

    @Override
    public long getLength() {
      return 1;
    }

    @Override
    public String[] getLocations() {
      return new String[0];
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeInt(index);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      index = in.readInt();
    }
  }
}
