package io.sluice.spark.read;

import io.netty.buffer.ByteBuf;
import io.sluice.node.client.NodeAddress;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.Partitions;
import io.sluice.rdma.memory.Closing;
import io.sluice.spark.pool.ExecutorTransports;
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
import org.apache.spark.network.buffer.NettyManagedBuffer;

/**
 * Reads some blocks out of one executor's pool.
 *
 * <p>Thread contract: one thread. Failure: {@link IOException}; what was delivered before stays so.
 */
final class PoolFetch {
  /** Runs that are read at a time share the reader's windows. */
  private static final int WINDOWS_AHEAD = 4;

  /** Bytes on their way from a window into a block: so few that they stay in the cache. */
  private final byte[] chunk = new byte[64 << 10];

  private final NodeReader reader;
  private final NodeAddress address;
  private final List<BlockRange> blocks;

  PoolFetch(NodeReader reader, NodeAddress address, List<BlockRange> blocks) {
    this.reader = reader;
    this.address = address;
    this.blocks = blocks;
  }

  /** Gets every block as soon as it is there. */
  interface Receiver {
    /** The bytes are released afterwards; who wants them for longer retains them. */
    void arrived(BlockRange block, ManagedBuffer bytes);
  }

  /**
   * Reads the blocks one after the other.
   *
   * @return those that are not in the pool
   */
  List<BlockRange> run(Receiver receiver) throws IOException {
    Map<String, List<NodeRun>> located = locate();
    List<BlockRange> absent = new ArrayList<>();
    for (BlockRange block : blocks) {
      List<NodeRun> runs = located.get(block.output());
      if (runs == null) {
        absent.add(block);
      } else {
        ManagedBuffer bytes =
            new NettyManagedBuffer(read(block, runs.stream().filter(block::contains).toList()));
        try {
          receiver.arrived(block, bytes);
        } finally {
          bytes.release();
        }
      }
    }
    return absent;
  }

  /** Asks once for all outputs of which the same partitions are wanted, or lie between them. */
  private Map<String, List<NodeRun>> locate() throws IOException {
    Map<String, Partitions> wanted = new LinkedHashMap<>();
    for (BlockRange block : blocks) {
      wanted.merge(
          block.output(),
          new Partitions(block.firstPartition(), block.endPartition()),
          (a, b) -> new Partitions(Math.min(a.first(), b.first()), Math.max(a.end(), b.end())));
    }
    Map<Partitions, List<String>> outputs = new LinkedHashMap<>();
    wanted.forEach(
        (output, partitions) ->
            outputs.computeIfAbsent(partitions, p -> new ArrayList<>()).add(output));
    Map<String, List<NodeRun>> located = new HashMap<>();
    for (Map.Entry<Partitions, List<String>> same : outputs.entrySet()) {
      located.putAll(reader.locate(address, same.getKey(), same.getValue()));
    }
    return located;
  }

  /** The caller releases it. */
  private ByteBuf read(BlockRange block, List<NodeRun> runs) throws IOException {
    long lengthBytes = runs.stream().mapToLong(NodeRun::lengthBytes).sum();
    if (lengthBytes > Integer.MAX_VALUE) {
      throw new IOException(
          block.blockId() + " has " + lengthBytes + " bytes, too many for one buffer");
    }
    ByteBuf bytes = BlockMemory.allocate((int) lengthBytes);
    Closeable all = () -> Closing.all(runs);
    try (all) {
      for (int i = 0; i < runs.size(); i++) {
        NodeRun next = i + 1 < runs.size() ? runs.get(i + 1) : null;
        NodeRun run = runs.get(i);
        run.prefetch(WINDOWS_AHEAD);
        readFully(block, run, bytes, next);
        run.close(); // its windows are others' from now on
      }
      return bytes;
    } catch (IOException | RuntimeException | Error e) {
      bytes.release();
      throw e;
    }
  }

  /** Starts the next run as soon as this one needs no further window: it might wait for its own. */
  private void readFully(BlockRange block, NodeRun run, ByteBuf bytes, NodeRun next)
      throws IOException {
    RunInput input = run.input();
    boolean nextStarted = next == null || run.lengthBytes() > ExecutorTransports.WINDOW_BYTES;
    long leftBytes = run.lengthBytes();
    while (leftBytes > 0) {
      int n = input.read(chunk, 0, (int) Math.min(leftBytes, chunk.length));
      if (n < 0) {
        throw new EOFException(block.blockId() + " ends too early in " + run.name());
      }
      if (!nextStarted) {
        next.prefetch(WINDOWS_AHEAD);
        nextStarted = true;
      }
      bytes.writeBytes(chunk, 0, n);
      leftBytes -= n;
    }
  }
}
