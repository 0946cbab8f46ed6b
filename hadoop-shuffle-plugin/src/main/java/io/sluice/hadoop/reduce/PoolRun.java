package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.node.client.LocatedRuns;
import io.sluice.node.client.NodeRun;
import io.sluice.node.wire.NodeAddress;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ClosedRunException;
import java.io.IOException;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * A sorted run in a node's pool that this reducer will merge. A reducer may have a million of them,
 * so before any byte is fetched a run takes no more heap than its fields and its packed location.
 *
 * <p>Thread contract: one thread at a time. Ownership: its holder closes it. A run that was read to
 * its end and closed cannot be read again. Failure: that of {@link NodeRun}; {@link
 * ClosedRunException}.
 */
final class PoolRun implements MergeRun {
  private final PoolRuns all;
  private final int offset; // of the run among them
  private NodeRun opened; // null while nothing of it is read or on its way
  private boolean merged; // it was closed at its end

  PoolRun(PoolRuns all, int offset) {
    this.all = all;
    this.offset = offset;
  }

  /** Opens it for reading. */
  NodeRun opened() {
    if (merged) {
      throw new IllegalStateException(name() + " was read to its end and closed");
    }
    if (opened == null) {
      opened = new NodeRun(all.located(), offset);
    }
    return opened;
  }

  /** Whether none of its bytes was read, is here or is on its way. */
  boolean isUntouched() {
    return opened == null && !merged;
  }

  /**
   * Starts to fetch up to so many windows of it.
   *
   * @return false if that failed; reading the run will fail, too
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
    return merged ? new Merged(name()) : opened().input();
  }

  @Override
  public void suspend() {
    if (opened != null) {
      opened.suspend();
      forgetUntouched();
    }
  }

  @Override
  public void close() throws IOException {
    if (opened != null) {
      opened.close();
      if (opened.isReadToItsEnd()) { // else LostOutputs may read it again
        opened = null;
        merged = true;
      }
    }
  }

  /** The input of a run that was read to its end and closed. */
  private record Merged(String name) implements RunInput {
    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      throw new ClosedRunException(name);
    }

    @Override
    public long remainingBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  /**
   * The runs that one answer of a node has located; each of them refers to this.
   *
   * @param located where they lie
   * @param codec of the job's map outputs, or null
   */
  record PoolRuns(LocatedRuns located, CompressionCodec codec) {}
}
