package io.sluice.it.spark.jobs;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import scala.Tuple2;

/** The rows of one input partition, the same for the same seed and partition. Not thread-safe. */
final class SeededRows implements Iterator<Tuple2<Long, String>> {
  private static final int VALUE_LENGTH_CHARS = 80;
  private static final int ROWS_PER_KEY = 10;

  private final SplittableRandom random;
  private final long distinctKeys;
  private final int hotKeyPercent;
  private final int valueLengthChars;
  private long left;

  /** The given percentage of rows has key 0; the other keys are all about equally frequent. */
  SeededRows(ShuffleArguments arguments, int partition, int hotKeyPercent) {
    this(arguments, partition, hotKeyPercent, VALUE_LENGTH_CHARS);
  }

  /** With values of another length. */
  SeededRows(ShuffleArguments arguments, int partition, int hotKeyPercent, int valueLengthChars) {
    long rows = arguments.rows();
    this.random = new SplittableRandom(arguments.seed() * 1_000_003 + partition);
    this.distinctKeys = distinctKeys(rows);
    this.hotKeyPercent = hotKeyPercent;
    this.valueLengthChars = valueLengthChars;
    this.left =
        rows * (partition + 1) / arguments.partitions() - rows * partition / arguments.partitions();
  }

  static long distinctKeys(long rows) {
    return Math.max(1, rows / ROWS_PER_KEY);
  }

  @Override
  public boolean hasNext() {
    return left > 0;
  }

  @Override
  public Tuple2<Long, String> next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    left--;
    boolean hot = random.nextInt(100) < hotKeyPercent;
    long key = hot ? 0 : random.nextLong(distinctKeys);
    return new Tuple2<>(key, value());
  }

  /** Ten characters of each random number: making the rows must cost less than moving them. */
  private String value() {
    byte[] value = new byte[valueLengthChars];
    long bits = 0;
    for (int i = 0; i < value.length; i++) {
      bits = i % 10 == 0 ? random.nextLong() : bits >>> 6;
      value[i] = (byte) ('0' + (bits & 63));
    }
    return new String(value, StandardCharsets.ISO_8859_1);
  }
}
