package io.sluice.it.jobs;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** Input that is made up in the map task; no file is read. */
public final class SeededInputFormat extends InputFormat<WritableComparable<?>, BytesWritable> {
  @Override
  public List<InputSplit> getSplits(JobContext context) {
    return IntStream.range(0, ScenarioConf.of(context.getConfiguration()).maps())
        .<InputSplit>mapToObj(MapIndexSplit::new)
        .toList();
  }

  @Override
  public RecordReader<WritableComparable<?>, BytesWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    SeededRecords records =
        new SeededRecords(
            ScenarioConf.of(context.getConfiguration()), ((MapIndexSplit) split).index());
    return new RecordReader<>() {
      @Override
      public void initialize(InputSplit same, TaskAttemptContext sameContext) {}

      @Override
      public boolean nextKeyValue() {
        return records.next();
      }

      @Override
      public WritableComparable<?> getCurrentKey() {
        return records.key();
      }

      @Override
      public BytesWritable getCurrentValue() {
        return records.value();
      }

      @Override
      public float getProgress() {
        return records.progress();
      }

      @Override
      public void close() {}
    };
  }
}
