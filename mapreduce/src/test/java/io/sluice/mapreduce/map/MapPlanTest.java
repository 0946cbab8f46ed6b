package io.sluice.mapreduce.map;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.testing.LocalMap;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapred.lib.LongSumReducer;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;

/** How much memory a map has a use for. */
final class MapPlanTest {
  private static final TaskAttemptID MAP =
      new TaskAttemptID(new TaskID(new JobID("1700000000000", 7), TaskType.MAP, 0), 0);

  private final JobConf job = new JobConf();

  private long mostBorrowedBytes(int sortMb) throws Exception {
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setInt(MRJobConfig.IO_SORT_MB, sortMb);
    return MapPlan.of(job, MAP, new LocalMap(MAP).reporter(), TaskMemory.alone())
        .mostBorrowedBytes();
  }

  @Test
  void aMapWithoutACombinerBorrowsUpToWhatPays() throws Exception {
    assertEquals(84L << 20, mostBorrowedBytes(16));
    assertEquals(0, mostBorrowedBytes(200));
  }

  @Test
  void aMapWithACombinerBorrowsAll() throws Exception {
    job.setCombinerClass(LongSumReducer.class);
    assertEquals(Long.MAX_VALUE, mostBorrowedBytes(200));
  }
}
