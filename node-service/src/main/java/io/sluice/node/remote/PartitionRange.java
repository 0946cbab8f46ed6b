package io.sluice.node.remote;

/**
 * Neighbouring partitions.
 *
 * @param first the first
 * @param end the one behind the last
 */
public record PartitionRange(int first, int end) {
  public PartitionRange {
    if (first < 0 || end <= first) {
      throw new IllegalArgumentException("no partitions from " + first + " to before " + end);
    }
  }

  /** Just this one. */
  public static PartitionRange one(int partition) {
    return new PartitionRange(partition, partition + 1);
  }

  /** How many there are. */
  public int count() {
    return end - first;
  }

  boolean contains(int partition) {
    return first <= partition && partition < end;
  }
}
