package io.sluice.workloads.record;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;

/** The records of one map, by their numbers. */
public final class RecordSplit extends InputSplit implements Writable {
  private long from;
  private long to;

  /** Read by Hadoop. */
  public RecordSplit() {}

  /** From one up to another, which is not in it. */
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
