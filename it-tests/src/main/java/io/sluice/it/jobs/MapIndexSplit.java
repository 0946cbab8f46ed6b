package io.sluice.it.jobs;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;

/** The input of one map task, in both APIs: just its number. */
public final class MapIndexSplit extends InputSplit
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
