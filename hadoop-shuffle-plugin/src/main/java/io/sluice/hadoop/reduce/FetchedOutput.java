package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.PoolRun.PoolRuns;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * One map attempt's output of this reducer's partition, located in a pool or staged.
 *
 * <p>Ownership: its holder closes it, or hands its runs on. Failure: none of its own; if one run
 * cannot be closed, the others are closed all the same.
 */
interface FetchedOutput extends Closeable {
  /** The attempt that wrote it. */
  TaskAttemptID map();

  /** Its runs; none if the map had no record for this partition. Asked for once. */
  List<? extends MergeRun> runs();

  /** Whether every byte of it is on this node, so that the loss of its map's node does no harm. */
  boolean isResident();

  /**
   * An output that a node's pool holds. A reducer keeps one of these for each map while it gathers,
   * so this is small: it knows where the output is packed, and makes its runs when asked for them.
   * It keeps runs only while some of their bytes are here or on their way.
   *
   * <p>Thread contract: one thread at a time.
   */
  static final class LocatedOutput implements FetchedOutput {
    private final PoolRuns all;
    private final int offset; // of the output among them
    private List<PoolRun> touched; // null while nothing of them is read or on its way

    LocatedOutput(PoolRuns all, int offset) {
      this.all = all;
      this.offset = offset;
    }

    /**
     * Starts to fetch the beginning of its runs: at least a window of each run, and {@code windows}
     * in all.
     *
     * @return false if that failed; reading the runs will fail, too
     */
    boolean prefetch(int windows) {
      List<PoolRun> runs = runs();
      boolean ok = true;
      for (PoolRun run : runs) {
        ok = ok && run.prefetch(Math.max(1, windows / runs.size()));
      }
      touched = runs.stream().allMatch(PoolRun::isUntouched) ? null : runs;
      return ok;
    }

    @Override
    public TaskAttemptID map() {
      return TaskAttemptID.forName(all.located().outputId(offset));
    }

    @Override
    public List<PoolRun> runs() {
      if (touched != null) {
        return touched;
      }
      int[] offsets = all.located().runsOf(offset);
      List<PoolRun> runs = new ArrayList<>(offsets.length);
      for (int run : offsets) {
        runs.add(new PoolRun(all, run));
      }
      return List.copyOf(runs);
    }

    @Override
    public boolean isResident() {
      return all.located().isLocalOutput(offset);
    }

    @Override
    public void close() throws IOException {
      if (touched != null) {
        Closer.all(touched);
      }
    }
  }

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
     * All of the output, a sorted run. Differs from a {@link PoolRun} in that all of its bytes are
     * on this node.
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
}
