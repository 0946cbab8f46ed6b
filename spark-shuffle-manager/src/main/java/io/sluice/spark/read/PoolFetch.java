package io.sluice.spark.read;

import io.sluice.node.client.NodeAddress;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.Partitions;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spill.merge.RunInput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads some blocks out of one executor's pool.
 *
 * <p>Thread contract: one thread. Failure: {@link IOException}; what was delivered before stays so.
 */
final class PoolFetch {
  /** Runs that are read at a time share the reader's windows. */
  private static final int WINDOWS_AHEAD = 4;

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
    void arrived(BlockRange block, ByteBuffer bytes);
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
        receiver.arrived(block, read(block, runs.stream().filter(block::contains).toList()));
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

  private static ByteBuffer read(BlockRange block, List<NodeRun> runs) throws IOException {
    long lengthBytes = runs.stream().mapToLong(NodeRun::lengthBytes).sum();
    if (lengthBytes > Integer.MAX_VALUE - 8) {
      throw new IOException(
          block.blockId() + " has " + lengthBytes + " bytes, too many for one buffer");
    }
    byte[] bytes = new byte[(int) lengthBytes];
    int position = 0;
    for (int i = 0; i < runs.size(); i++) {
      NodeRun next = i + 1 < runs.size() ? runs.get(i + 1) : null;
      try (NodeRun run = runs.get(i)) {
        run.prefetch(WINDOWS_AHEAD);
        position = readFully(block, run, bytes, position, next);
      }
    }
    return ByteBuffer.wrap(bytes);
  }

  /** Starts the next run as soon as this one needs no further window: it might wait for its own. */
  private static int readFully(BlockRange block, NodeRun run, byte[] bytes, int from, NodeRun next)
      throws IOException {
    RunInput input = run.input();
    int position = from;
    int end = from + (int) run.lengthBytes();
    while (position < end) {
      int n = input.read(bytes, position, end - position);
      if (n < 0) {
        throw new EOFException(block.blockId() + " ends too early in " + run.name());
      }
      boolean allIsHere = run.lengthBytes() <= ExecutorTransports.WINDOW_BYTES && position == from;
      if (allIsHere && next != null) {
        next.prefetch(WINDOWS_AHEAD);
      }
      position += n;
    }
    return position;
  }
}
