package io.sluice.bench.codecs;

import io.sluice.bench.ArrayInput;
import io.sluice.bench.codecs.SortedRuns.RunsMerge;
import io.sluice.bench.codecs.SortedRuns.RunsMerge.RecordsDigest;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RunCodec;
import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.reduce.ReduceMerge;
import io.sluice.mapreduce.reduce.ReduceMerge.MergeWindows;
import io.sluice.mapreduce.stage.DiskStage;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.format.RunEncoder;
import io.sluice.spill.merge.KWayMerge;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;

/**
 * Sluice's merge of a reduce over runs in memory, which are verified as they are read. They are
 * stored as a map of that job stores them, and rounds go to files, as where there is no node
 * service.
 *
 * <p>One thread. Ownership: the job's local directories are its caller's, with all files.
 */
final class SluiceMerge implements RunsMerge {
  private final JobConf job;
  private final CompressionCodec codec;
  private final MergeMemory memory;
  private final RunForm form;
  private final List<Stored> runs = new ArrayList<>();
  private final DataOutputBuffer key = new DataOutputBuffer();
  private final DataOutputBuffer value = new DataOutputBuffer();
  private long rawBytes;
  private long storedBytes;

  /**
   * Has no runs yet.
   *
   * @param job how many maps it has, where its local directories are, and how keys are compared
   * @param codec null for none
   */
  SluiceMerge(JobConf job, CompressionCodec codec) {
    this.job = job;
    this.codec = codec;
    this.memory = new MergeMemory(codec, job, false, TaskMemory.alone());
    this.form = new RunCodec(codec).form(memory.chunkBytes());
  }

  /** A run as it lies in memory. */
  private record Stored(
      int number, byte[] bytes, long rawBytes, long records, BlockChecksums checksums) {}

  @Override
  public void add(int number, List<SortedRuns.KeyValue> run) throws IOException {
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    long runRawBytes;
    try (RunCompressor compressor = new RunCodec(codec).compressor(memory.chunkBytes())) {
      if (compressor == null) {
        runRawBytes = encode(run, stored::write);
      } else {
        compressor.begin(stored::write);
        runRawBytes = encode(run, compressor::write);
        compressor.end();
      }
    }
    byte[] bytes = stored.toByteArray();
    BlockChecksums checksums = BlockChecksummer.sum(ByteBuffer.wrap(bytes));
    runs.add(new Stored(number, bytes, runRawBytes, run.size(), checksums));
    rawBytes += runRawBytes;
    storedBytes += bytes.length;
  }

  /** Returns the length before it is compressed. */
  private long encode(List<SortedRuns.KeyValue> run, RunEncoder.Sink sink) throws IOException {
    RunEncoder encoder = new RunEncoder(sink);
    for (SortedRuns.KeyValue record : run) {
      key.reset();
      value.reset();
      record.key().write(key);
      record.value().write(value);
      encoder.append(key.getData(), 0, key.getLength(), value.getData(), 0, value.getLength());
    }
    encoder.finish();
    return encoder.rawLengthBytes();
  }

  @Override
  public long rawBytes() {
    return rawBytes;
  }

  @Override
  public long storedBytes() {
    return storedBytes;
  }

  @Override
  public int chunkBytes() {
    return memory.chunkBytes();
  }

  @Override
  public Outcome merge() throws IOException {
    List<MergeRun> inputs = new ArrayList<>(runs.size());
    for (Stored run : runs) {
      inputs.add(new HeapRun(run, form, memory.chunkBytes(), input(run)));
    }
    RecordsDigest digest = new RecordsDigest();
    try (StageArea stage = stage()) {
      ReduceMerge merging =
          new ReduceMerge(
              MergeWindows.UNBOUNDED, stage, codec, KeyOrders.of(job), () -> {}, memory);
      try (KWayMerge merge = merging.merge(inputs)) {
        while (merge.next()) {
          digest.add(
              merge.keyBytes(),
              merge.keyOffset(),
              merge.keyLength(),
              merge.valueBytes(),
              merge.valueOffset(),
              merge.valueLength());
        }
      }
      return new Outcome(digest.sum(), merging.roundRecords());
    }
  }

  private StageArea stage() throws IOException {
    return new DiskStage(
        job,
        FileSystem.getLocal(job).getRaw(),
        new LocalDirAllocator(MRConfig.LOCAL_DIR),
        "rounds",
        null);
  }

  private static RunInput input(Stored run) {
    RunInput bytes = new ArrayInput(run.bytes);
    return new VerifiedRunInput("run " + run.number, bytes, run.bytes.length, run.checksums);
  }

  /** A run as a merge sees it. */
  private record HeapRun(Stored run, RunForm form, int chunkBytes, RunInput input)
      implements MergeRun {
    @Override
    public String name() {
      return "run " + run.number;
    }

    @Override
    public long lengthBytes() {
      return run.bytes.length;
    }

    @Override
    public long rawLengthBytes() {
      return run.rawBytes;
    }

    @Override
    public long meanRecordBytes() {
      return run.rawBytes / Math.max(1, run.records);
    }

    @Override
    public void suspend() {
      // It holds nothing before it is read.
    }

    @Override
    public void close() throws IOException {
      input.close();
    }
  }
}
