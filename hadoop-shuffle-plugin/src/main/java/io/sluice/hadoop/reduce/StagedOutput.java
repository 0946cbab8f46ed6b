package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * An output that was fetched from a stock ShuffleHandler, and lies on this node.
 *
 * @param map the attempt that wrote it
 * @param run all of it
 */
record StagedOutput(TaskAttemptID map, Run run) implements FetchedOutput {
  /** Room is made for so much of what a ShuffleHandler announces; the rest must come first. */
  private static final long MAX_EXPECTED_BYTES = 8L << 20;

  /**
   * Stages the output that {@link StockReply#next} has announced.
   *
   * @param codec of the job's map outputs, or null
   */
  static StagedOutput receive(
      StockReply reply,
      TaskAttemptID map,
      int reduce,
      StageArea stage,
      CompressionCodec codec,
      FetchLog log)
      throws IOException {
    StagedRun staged = stage.create(map + " partition " + reduce + " from stock");
    try {
      long travelledBytes = reply.copyTo(new Sink(staged));
      staged.finish();
      Run run = new Run(staged.name(), staged.lengthBytes(), RunForm.of(codec, 0), staged.open());
      log.fetchedFromStock(travelledBytes);
      return new StagedOutput(map, run);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, staged);
      throw e;
    }
  }

  /** Puts what stock sends where the merge will read it. */
  private record Sink(StagedRun staged) implements StockReply.Sink {
    @Override
    public void begin(long storedBytes, long rawLengthBytes) throws IOException {
      staged.expect(Math.min(storedBytes, MAX_EXPECTED_BYTES));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      staged.write(bytes, offset, length);
    }
  }

  @Override
  public List<MergeRun> runs() {
    return List.of(run);
  }

  @Override
  public boolean isResident() {
    return true;
  }

  @Override
  public void close() throws IOException {
    run.close();
  }

  /**
   * All of the output, a sorted run. Differs from a {@link PoolRun} in that all of its bytes are on
   * this node.
   *
   * @param name in messages
   * @param lengthBytes bytes as they are stored
   * @param form how it is stored
   * @param input its bytes
   */
  record Run(String name, long lengthBytes, RunForm form, RunInput input) implements MergeRun {
    @Override
    public int chunkBytes() {
      return 0;
    }

    @Override
    public long meanRecordBytes() {
      return 0;
    }

    @Override
    public void suspend() {}

    @Override
    public void close() throws IOException {
      input.close();
    }
  }
}
