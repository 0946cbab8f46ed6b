package io.sluice.it.jobs;

import java.nio.ByteBuffer;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;

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
