package io.sluice.workloads.record;

import io.sluice.workloads.input.Zipf;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * Makes records where a job reads them, so that its input costs next to nothing. Which records
 * there are depends on their number and the seed alone, and not on how many maps make them.
 *
 * <p>Thread contract: as Hadoop's are.
 */
public final class RecordInput extends InputFormat<BytesWritable, BytesWritable> {
  private static final String MAPS = "workloads.records.maps";
  private static final String RECORDS = "workloads.records.count";
  private static final String SEED = "workloads.generate.seed";
  private static final String ZIPF = "workloads.records.zipf";
  private static final String KEYS = "workloads.records.keys";

  /** Made by Hadoop. */
  public RecordInput() {}

  /** Sets what a job reads. */
  static void set(Configuration conf, int maps, long records) {
    conf.setInt(MAPS, maps);
    conf.setLong(RECORDS, records);
  }

  @Override
  public List<InputSplit> getSplits(JobContext context) {
    int maps = context.getConfiguration().getInt(MAPS, 1);
    long records = context.getConfiguration().getLong(RECORDS, 0);
    List<InputSplit> splits = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      splits.add(new RecordSplit(records * map / maps, records * (map + 1) / maps));
    }
    return splits;
  }

  @Override
  public RecordReader<BytesWritable, BytesWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    Configuration conf = context.getConfiguration();
    double exponent = conf.getDouble(ZIPF, 0);
    Zipf ranks = exponent > 0 ? new Zipf(conf.getInt(KEYS, 100_000), exponent) : null;
    return new RecordMakingReader(new RecordBytes(conf.getLong(SEED, 1), ranks));
  }
}
