package io.sluice.local.exchange;

import io.sluice.mapreduce.id.TaskNames;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.memory.store.ProcessStore;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.segment.SegmentMapper;
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
 * @param maps number of maps
 * @param key for encryption, or null
 * @param sortMemory memory of the sort buffers
 * @param shares decides the memory of each task
 */
record JobOutputs(
    JobID job,
    ProcessStore store,
    int maps,
    ShuffleKey key,
    KeptChunks sortMemory,
    MemoryShares shares) {
  /** The name of a job in the store. */
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

  /** Opens the runs of one partition of an output. */
  List<MergeRun> runs(OutputId id, int partition, CompressionCodec codec) throws IOException {
    CommittedOutput output =
        store
            .store()
            .find(id)
            .orElseThrow(
                () -> new IOException("the output of " + id + " is no longer in the store"));
    List<MergeRun> runs = new ArrayList<>();
    for (LocatedRun run : output.runs(partition)) {
      runs.add(StoredRun.open(store.mapper(), id, run, partition, codec, key));
    }
    return runs;
  }

  /**
   * A run of a map in this process, read in place.
   *
   * <p>Thread contract and ownership: those of {@link MergeRun}.
   */
  private record StoredRun(String name, Run run, RunForm form, RunInput input) implements MergeRun {
    private static final int WINDOW_BYTES = 1 << 20;

    /**
     * Opens a run; it is mapped when it is read.
     *
     * @param codec of the job, or null
     * @param key for encryption, or null
     */
    static StoredRun open(
        SegmentMapper mapper,
        OutputId output,
        LocatedRun located,
        int partition,
        CompressionCodec codec,
        ShuffleKey key)
        throws IOException {
      Run run = located.run();
      String name = output.outputId() + " partition " + partition + " run " + run.ordinal();
      RunInput bytes =
          new MappedRunInput(
              mapper::map, located.location().ranges(), run.lengthBytes(), WINDOW_BYTES);
      RunInput verified = new VerifiedRunInput(name, bytes, run.lengthBytes(), run.checksums());
      RunInput plain =
          key == null
              ? verified
              : new DecryptedRunInput(
                  name, verified, run.lengthBytes(), key.reading(output), partition, run.ordinal());
      return new StoredRun(name, run, RunForm.of(codec, run.chunkBytes()), plain);
    }

    @Override
    public long lengthBytes() {
      return run.lengthBytes();
    }

    @Override
    public int chunkBytes() {
      return run.chunkBytes();
    }

    @Override
    public long rawLengthBytes() {
      return run.rawLengthBytes();
    }

    @Override
    public long meanRecordBytes() {
      return run.rawLengthBytes() / Math.max(1, run.records());
    }

    @Override
    public void suspend() {
      // Holds nothing before it is read.
    }

    @Override
    public void close() throws IOException {
      input.close();
    }
  }
}
