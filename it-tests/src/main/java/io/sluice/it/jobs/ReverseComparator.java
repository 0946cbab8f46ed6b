package io.sluice.it.jobs;

import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;

/** Sorts texts backwards: an order that only the job's own comparator knows. */
public final class ReverseComparator extends Text.Comparator {
  @Override
  public int compare(
      byte[] one, int oneStart, int oneLength, byte[] other, int otherStart, int otherLength) {
    return super.compare(other, otherStart, otherLength, one, oneStart, oneLength);
  }

  @Override
  public int compare(
      @SuppressWarnings("rawtypes") org.apache.hadoop.io.WritableComparable one,
      @SuppressWarnings("rawtypes") org.apache.hadoop.io.WritableComparable other) {
    return WritableComparator.get(Text.class).compare(other, one);
  }
}
