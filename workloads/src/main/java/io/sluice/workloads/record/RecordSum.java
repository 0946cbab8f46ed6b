package io.sluice.workloads.record;

import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.WritableComparator;

/**
 * Which records there were, in whatever order: how many, and the sum of a hash of each.
 *
 * <p>Thread contract: one thread.
 */
final class RecordSum {
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
