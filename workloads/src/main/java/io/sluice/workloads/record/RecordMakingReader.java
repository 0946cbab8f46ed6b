package io.sluice.workloads.record;

import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** Makes the records of a split, one after the other. One thread's. */
final class RecordMakingReader extends RecordReader<BytesWritable, BytesWritable> {
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
