package io.sluice.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.mapreduce.map.MapPlan;
import io.sluice.mapreduce.map.RecordCollector;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.testing.LocalMap;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.store.Lease;
import java.nio.file.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key and a value of no bytes. */
final class NullRecordsTest {
  private static final TaskAttemptID MAP =
      new TaskAttemptID(new TaskID(new JobID("1700000000000", 7), TaskType.MAP, 0), 0);

  @TempDir Path directory;

  /** 100 MiB is the default, and the last chunk of records is full when that of the index is. */
  @ParameterizedTest
  @CsvSource({"100, 6000000", "11, 524288", "11, 524289"})
  void areTakenLikeOthers(int sortMb, int records) throws Exception {
    JobConf job = new JobConf();
    job.setMapOutputKeyClass(NullWritable.class);
    job.setMapOutputValueClass(NullWritable.class);
    job.setNumReduceTasks(1);
    job.setInt(MRJobConfig.IO_SORT_MB, sortMb);
    LocalMap task = new LocalMap(MAP);
    MapPlan<NullWritable, NullWritable> plan =
        MapPlan.of(job, MAP, task.reporter(), TaskMemory.alone());
    try (LocalStore store = LocalStore.inMemory(directory, 64 << 20);
        Lease lease = store.openLease();
        RecordCollector<NullWritable, NullWritable> collector =
            new RecordCollector<>(
                plan, store.target(lease), ChunkMemory.DIRECT, ChunkSource.NONE)) {
      for (int i = 0; i < records; i++) {
        collector.collect(NullWritable.get(), NullWritable.get(), 0);
      }
      collector.flush(LocalStore.output(MAP.toString()));
      assertEquals(records, task.reporter().getCounter(TaskCounter.SPILLED_RECORDS).getValue());
    }
  }
}
