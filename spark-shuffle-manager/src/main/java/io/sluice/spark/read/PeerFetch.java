package io.sluice.spark.read;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.BlockRange;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * Fetches some blocks from one executor's pool.
 *
 * <p>Thread contract: one thread. Failure: {@link IOException}; blocks that were delivered before
 * stay delivered.
 */
final class PeerFetch {
  /** Copies bytes from a window into a block; short enough to stay in the cache. */
  private final byte[] chunk = new byte[64 << 10];

  private final NodeReader reader;
  private final NodeAddress address;
  private final List<BlockRange> blocks;
  private final BlockTarget.Opener targets;

  PeerFetch(
      NodeReader reader, NodeAddress address, List<BlockRange> blocks, BlockTarget.Opener targets) {
    this.reader = reader;
    this.address = address;
    this.blocks = blocks;
    this.targets = targets;
  }

  /** Gets each block as soon as it has been read. */
  interface Receiver {
    /** The pool has located the blocks. */
    default void located() {}

    /** The pool has given some bytes of a block; they are not written anywhere yet. */
    default void read() {}

    /** The bytes are released after this call; a receiver that keeps them retains them. */
    void arrived(BlockRange block, ManagedBuffer bytes);
  }

  /**
   * Delivers the blocks one after the other, while it reads the next ones ahead.
   *
   * @return the blocks that are not in the pool
   */
  List<BlockRange> run(Receiver receiver) throws IOException {
    Map<String, List<NodeRun>> located = locate();
    receiver.located();
    List<BlockRange> absent = new ArrayList<>();
    List<Located> present = new ArrayList<>(blocks.size());
    List<NodeRun> all = new ArrayList<>(blocks.size());
    for (BlockRange block : blocks) {
      List<NodeRun> ofOutput = located.get(block.output());
      if (ofOutput == null) {
        absent.add(block);
      } else {
        List<NodeRun> runs = runsOf(block, ofOutput);
        present.add(new Located(block, runs));
        all.addAll(runs);
      }
    }
    RunPrefetch ahead = new RunPrefetch(all);
    try (ahead) {
      for (Located each : present) {
        ManagedBuffer bytes = read(each.block(), each.runs(), ahead, receiver);
        try {
          receiver.arrived(each.block(), bytes);
        } finally {
          bytes.release();
        }
      }
    }
    return absent;
  }

  /** A block that is in the pool. */
  private record Located(BlockRange block, List<NodeRun> runs) {}

  private static List<NodeRun> runsOf(BlockRange block, List<NodeRun> ofOutput) {
    List<NodeRun> runs = new ArrayList<>(ofOutput.size());
    for (NodeRun run : ofOutput) {
      if (block.contains(run.partition())) {
        runs.add(run);
      }
    }
    return runs;
  }

  /**
   * Locates the outputs, with one request for those with the same range of partitions. A range
   * covers all wanted partitions of an output, and those between them.
   */
  private Map<String, List<NodeRun>> locate() throws IOException {
    Map<String, PartitionRange> wanted = new LinkedHashMap<>();
    for (BlockRange block : blocks) {
      wanted.merge(
          block.output(),
          block.partitions(),
          (a, b) -> new PartitionRange(Math.min(a.first(), b.first()), Math.max(a.end(), b.end())));
    }
    Map<PartitionRange, List<String>> outputs = new LinkedHashMap<>();
    wanted.forEach(
        (output, partitions) ->
            outputs.computeIfAbsent(partitions, p -> new ArrayList<>()).add(output));
    if (outputs.size() == 1) {
      PartitionRange same = outputs.keySet().iterator().next();
      return reader.fetch(address, same, outputs.get(same));
    }
    Map<String, List<NodeRun>> located = new HashMap<>();
    for (Map.Entry<PartitionRange, List<String>> same : outputs.entrySet()) {
      located.putAll(reader.fetch(address, same.getKey(), same.getValue()));
    }
    return located;
  }

  /** Reads a block; the caller releases it. */
  private ManagedBuffer read(
      BlockRange block, List<NodeRun> runs, RunPrefetch ahead, Receiver receiver)
      throws IOException {
    long lengthBytes = 0;
    for (NodeRun run : runs) {
      lengthBytes += run.plainLengthBytes();
    }
    BlockTarget target = targets.open(block, lengthBytes);
    try {
      for (NodeRun run : runs) {
        readFully(block, run, target, ahead, receiver);
        ahead.done(run);
      }
      return target.done();
    } catch (Throwable e) {
      target.abandon();
      throw e;
    }
  }

  private void readFully(
      BlockRange block, NodeRun run, BlockTarget target, RunPrefetch ahead, Receiver receiver)
      throws IOException {
    RunInput input = run.input();
    long leftBytes = run.plainLengthBytes();
    while (leftBytes > 0) {
      ahead.start();
      int n = input.read(chunk, 0, (int) Math.min(leftBytes, chunk.length));
      if (n < 0) {
        throw new EOFException(block.blockId() + " ends too early in " + run.name());
      }
      receiver.read();
      target.write(chunk, n);
      leftBytes -= n;
    }
  }

  /**
   * Reads the runs of a fetch ahead, in order. Most blocks of a large shuffle are so short that a
   * round trip takes longer than their bytes. A run is started only when all runs before it have
   * their windows. So the run that is read never waits for a window that a later run holds.
   *
   * <p>Thread contract: one thread. Ownership: closes all runs, read or not, because they hold
   * windows. Failure: the read of a run finds out that reading it ahead failed.
   */
  static final class RunPrefetch implements Closeable {
    /** Runs ahead: enough to hide the round trip of short ones. */
    private static final int RUNS = 32;

    /** Windows of one run; all runs share the reader's windows. */
    private static final int WINDOWS = 8;

    private final List<NodeRun> runs;
    private int current;
    private int begun;

    /** Starts nothing yet. */
    RunPrefetch(List<NodeRun> runs) {
      this.runs = runs;
    }

    /** Starts the runs that may be read ahead now. */
    void start() {
      while (begun < runs.size() && begun - current < RUNS && runs.get(begun).fetchAhead(WINDOWS)) {
        begun++;
      }
    }

    /** Closes the current run, which gives its windows back. */
    void done(NodeRun run) throws IOException {
      run.close();
      current++;
      begun = Math.max(begun, current);
    }

    @Override
    public void close() throws IOException {
      Closer.all(runs);
    }
  }
}
