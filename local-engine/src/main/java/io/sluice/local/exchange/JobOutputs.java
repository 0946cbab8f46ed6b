package io.sluice.local.exchange;

import io.sluice.mapreduce.id.TaskNames;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.memory.store.ProcessStore;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.sort.KeptChunks;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * The map outputs of one job, in the store of its process.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException} of the store.
 *
 * @param maps how many there are
 * @param key that they are encrypted with, or null
 * @param sortMemory that of its sort buffers
 * @param shares what each of its tasks may take of the memory of the process
 */
record JobOutputs(
    JobID job,
    ProcessStore store,
    int maps,
    ShuffleKey key,
    KeptChunks sortMemory,
    MemoryShares shares) {
  /** What the store calls a job. */
  static String applicationId(JobID job) {
    return TaskNames.application(job);
  }

  String applicationId() {
    return applicationId(job);
  }

  OutputId id(TaskAttemptID map) {
    return id(TaskNames.attempt(map));
  }

  OutputId id(String name) {
    return new OutputId(applicationId(), name);
  }

  /** The runs of one output, of a job with that codec, or null. */
  List<MergeRun> runs(OutputId id, int partition, CompressionCodec codec) throws IOException {
    CommittedOutput output =
        store
            .store()
            .find(id)
            .orElseThrow(() -> new IOException("the output of " + id + " is gone"));
    List<MergeRun> runs = new ArrayList<>();
    for (LocatedRun run : output.runs(partition)) {
      runs.add(StoredRun.open(store.mapper(), id, run, partition, codec, key));
    }
    return runs;
  }
}
