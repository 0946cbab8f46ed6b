package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.node.client.LocatedRuns;
import io.sluice.node.client.NodeRun;
import io.sluice.node.wire.NodeAddress;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;

/**
 * A sorted run in a node's pool that this reducer will merge. Until something of it is fetched it
 * takes no more heap than its fields and its packed place: a reducer may have a million.
 *
 * <p>Thread contract: one thread at a time. Ownership: who has it closes it. Failure: that of
 * {@link NodeRun}.
 */
final class PoolRun implements MergeRun {
  private final PoolRuns all;
  private final int offset; // of the run among them
  private NodeRun opened; // null while nothing of it is read or on its way

  PoolRun(PoolRuns all, int offset) {
    this.all = all;
    this.offset = offset;
  }

  /** What reads it. */
  NodeRun opened() {
    if (opened == null) {
      opened = new NodeRun(all.located(), offset);
    }
    return opened;
  }

  /** Whether nothing of it was read, is here or is on its way. */
  boolean isUntouched() {
    return opened == null;
  }

  /**
   * Starts to fetch up to so many windows of it.
   *
   * @return false if that failed: it is found again when the run is read
   */
  boolean prefetch(int windows) {
    boolean ok = opened().prefetch(windows);
    forgetUntouched();
    return ok;
  }

  private void forgetUntouched() {
    if (opened.isUntouched()) {
      opened = null;
    }
  }

  /** The node that it was located at. */
  NodeAddress address() {
    return all.located().address();
  }

  /** The output it belongs to. */
  String outputId() {
    LocatedRuns located = all.located();
    return located.outputId(located.outputOf(offset));
  }

  @Override
  public String name() {
    return all.located().name(offset);
  }

  @Override
  public long lengthBytes() {
    return all.located().lengthBytes(offset);
  }

  @Override
  public long rawLengthBytes() {
    return all.located().rawLengthBytes(offset);
  }

  @Override
  public long meanRecordBytes() {
    return all.located().meanRecordBytes(offset);
  }

  @Override
  public RunForm form() {
    return RunForm.of(all.codec(), chunkBytes());
  }

  @Override
  public int chunkBytes() {
    return all.located().chunkBytes(offset);
  }

  @Override
  public RunInput input() {
    return opened().input();
  }

  @Override
  public void suspend() {
    if (opened != null) {
      opened.suspend();
      forgetUntouched();
    }
  }

  /** Keeps nothing of what has read it: the reducer keeps the run, to know whose it was. */
  @Override
  public void close() throws IOException {
    NodeRun ended = opened;
    opened = null;
    if (ended != null) {
      ended.close();
    }
  }
}
