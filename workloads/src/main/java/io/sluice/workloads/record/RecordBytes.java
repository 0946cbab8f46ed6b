package io.sluice.workloads.record;

import io.sluice.workloads.input.Zipf;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.apache.hadoop.io.BytesWritable;

/**
 * Makes records of a hundred bytes, as TeraSort's are: a key of ten bytes and ninety others. A
 * record has its own random, of the seed and its number.
 *
 * <p>Thread contract: one thread.
 */
final class RecordBytes {
  static final int KEY_BYTES = 10;
  static final int VALUE_BYTES = 90;
  static final int LENGTH_BYTES = KEY_BYTES + VALUE_BYTES;

  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L; // odd: other ranks, other keys

  private final long base;
  private final Zipf ranks; // null: all keys are as frequent
  private final ByteBuffer record = ByteBuffer.allocate(LENGTH_BYTES + Long.BYTES);

  /**
   * @param ranks how frequent keys are, or null for keys that hardly ever come twice
   */
  RecordBytes(long seed, Zipf ranks) {
    this.base = new SplittableRandom(seed).nextLong();
    this.ranks = ranks;
  }

  /** Makes the record of that number. */
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
