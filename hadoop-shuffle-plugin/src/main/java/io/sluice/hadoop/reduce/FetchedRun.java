package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.node.client.NodeRun;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * A sorted run that this reducer will merge: located in a pool, or staged by itself.
 *
 * @param name how messages call one that was staged
 * @param lengthBytes bytes as they are stored
 * @param form how it is stored
 * @param input the bytes of one that was staged
 * @param node the run in a node's pool, or null for one that was staged
 */
record FetchedRun(String name, long lengthBytes, RunForm form, RunInput input, NodeRun node)
    implements MergeRun {

  /** One in a node's pool, of a job with that codec, or null. */
  static FetchedRun of(NodeRun run, CompressionCodec codec) {
    RunForm form = RunForm.of(codec, run.chunkBytes());
    return new FetchedRun(null, run.lengthBytes(), form, null, run);
  }

  @Override
  public String name() {
    return node == null ? name : node.name();
  }

  @Override
  public RunInput input() {
    return node == null ? input : node.input();
  }

  /** Whether every byte of it is on this node, whatever happens to its map's node. */
  boolean isResident() {
    return node == null || node.isLocal();
  }

  @Override
  public int chunkBytes() {
    return node == null ? 0 : node.chunkBytes();
  }

  @Override
  public long rawLengthBytes() {
    return node == null ? MergeRun.super.rawLengthBytes() : node.rawLengthBytes();
  }

  @Override
  public long meanRecordBytes() {
    return node == null ? 0 : node.meanRecordBytes();
  }

  @Override
  public void suspend() {
    if (node != null) {
      node.suspend();
    }
  }

  @Override
  public void close() throws IOException {
    if (node == null) {
      input.close();
    } else {
      node.close();
    }
  }
}
