package io.sluice.workloads.record;

import io.sluice.workloads.input.Zipf;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * Makes records where a job reads them, so that the input takes almost no time. The records depend
 * on their number and the seed alone, not on the number of maps.
 *
 * <p>Thread contract: that of {@link InputFormat}.
 */
public final class RecordInput extends InputFormat<BytesWritable, BytesWritable> {
  private static final String MAPS = "workloads.records.maps";
  private static final String RECORDS = "workloads.records.count";
  private static final String SEED = "workloads.generate.seed";
  private static final String ZIPF = "workloads.records.zipf";
  private static final String KEYS = "workloads.records.keys";

  /** Called by Hadoop. */
  public RecordInput() {}

  /** Sets the input of a job. */
  static void set(Configuration conf, int maps, long records) {
    conf.setInt(MAPS, maps);
    conf.setLong(RECORDS, records);
  }

  @Override
  public List<InputSplit> getSplits(JobContext context) {
    int maps = context.getConfiguration().getInt(MAPS, 1);
    long records = context.getConfiguration().getLong(RECORDS, 0);
    List<InputSplit> splits = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      splits.add(new RecordSplit(records * map / maps, records * (map + 1) / maps));
    }
    return splits;
  }

  @Override
  public RecordReader<BytesWritable, BytesWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    Configuration conf = context.getConfiguration();
    double exponent = conf.getDouble(ZIPF, 0);
    Zipf ranks = exponent > 0 ? new Zipf(conf.getInt(KEYS, 100_000), exponent) : null;
    return new RecordMakingReader(new RecordBytes(conf.getLong(SEED, 1), ranks));
  }

  /** Makes the records of a split, one after the other. One thread's. */
  static final class RecordMakingReader extends RecordReader<BytesWritable, BytesWritable> {
    private final RecordBytes records;
    private final BytesWritable key = new BytesWritable();
    private final BytesWritable value = new BytesWritable();
    private long from;
    private long next;
    private long to;

    RecordMakingReader(RecordBytes records) {
      this.records = records;
    }

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {
      from = ((RecordSplit) split).from();
      next = from;
      to = ((RecordSplit) split).to();
    }

    @Override
    public boolean nextKeyValue() {
      if (next == to) {
        return false;
      }
      records.make(next++, key, value);
      return true;
    }

    @Override
    public BytesWritable getCurrentKey() {
      return key;
    }

    @Override
    public BytesWritable getCurrentValue() {
      return value;
    }

    @Override
    public float getProgress() {
      return to == from ? 1 : (float) (next - from) / (to - from);
    }

    @Override
    public void close() {}
  }

  /** The records of one map, by their numbers. */
  public static final class RecordSplit extends InputSplit implements Writable {
    private long from;
    private long to;

    /** Called by Hadoop. */
    public RecordSplit() {}

    /** From one number to another, which is not included. */
    RecordSplit(long from, long to) {
      this.from = from;
      this.to = to;
    }

    long from() {
      return from;
    }

    long to() {
      return to;
    }

    @Override
    public long getLength() {
      return (to - from) * RecordBytes.LENGTH_BYTES;
    }

    @Override
    public String[] getLocations() {
      return new String[0];
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeLong(from);
      out.writeLong(to);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      from = in.readLong();
      to = in.readLong();
    }
  }

  /**
   * Makes records of a hundred bytes, like TeraSort's: a key of ten bytes and a value of ninety.
   * Each record has its own random, made of the seed and its number.
   *
   * <p>Thread contract: one thread.
   */
  static final class RecordBytes {
    static final int KEY_BYTES = 10;
    static final int VALUE_BYTES = 90;
    static final int LENGTH_BYTES = KEY_BYTES + VALUE_BYTES;

    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L; // odd: other ranks, other keys

    private final long base;
    private final Zipf ranks; // null: all keys are as frequent
    private final ByteBuffer record = ByteBuffer.allocate(LENGTH_BYTES + Long.BYTES);

    /** Keys are as frequent as {@code ranks} says; with null hardly any key comes twice. */
    RecordBytes(long seed, Zipf ranks) {
      this.base = new SplittableRandom(seed).nextLong();
      this.ranks = ranks;
    }

    /** Makes the record with this number. */
    void make(long number, BytesWritable key, BytesWritable value) {
      SplittableRandom random = new SplittableRandom(base + number);
      record.clear();
      if (ranks == null) {
        record.putLong(random.nextLong()).putShort((short) random.nextInt());
      } else {
        record.putLong(ranks.draw(random) * MULTIPLIER).putShort((short) 0);
      }
      while (record.position() < LENGTH_BYTES) {
        record.putLong(random.nextLong());
      }
      key.set(record.array(), 0, KEY_BYTES);
      value.set(record.array(), KEY_BYTES, VALUE_BYTES);
    }
  }

  /**
   * Identifies a set of records, whatever their order: their number, and the sum of their hashes.
   *
   * <p>Thread contract: one thread.
   */
  static final class RecordSum {
    private static final long PRIME = 0x100000001B3L; // FNV's

    private long count;
    private long sum;

    void add(BytesWritable key, BytesWritable value) {
      count++;
      sum += hash(key) * PRIME + hash(value);
    }

    private static long hash(BytesWritable bytes) {
      return WritableComparator.hashBytes(bytes.getBytes(), bytes.getLength());
    }

    long count() {
      return count;
    }

    long sum() {
      return sum;
    }
  }
}
