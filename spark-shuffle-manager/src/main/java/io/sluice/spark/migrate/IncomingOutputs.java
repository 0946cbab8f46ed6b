package io.sluice.spark.migrate;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.ReceivedOutput;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;

/**
 * Receives outputs of decommissioned executors into this executor's pool, as {@link
 * OutgoingOutputs} or Spark's own resolver sends them. The bytes of an output come first, its index
 * second. The output exists, and the driver is told of it, once the index has come.
 *
 * <p>Thread contract: safe from any thread; Spark calls each stream from one. Ownership: the block
 * resolver closes it, before the pool. Failure: an {@link IOException} of a stream makes the sender
 * try another peer. Bytes without an index stay until their shuffle is freed.
 */
public final class IncomingOutputs implements Closeable {
  private final ShuffleCounters counters;
  private final Reporter reporter;
  private final Map<ShuffleBlockInfo, ReceivedOutput> withoutIndex = new HashMap<>();

  /** Tells the driver that a block of a moved output lies in that pool now. */
  public interface Reporter {
    /**
     * Called for the data, if there are any, and then for the index. The driver moves the output's
     * location when it hears of the index.
     */
    void report(ExecutorPool pool, BlockId block, long lengthBytes) throws IOException;
  }

  /** Holds nothing yet. */
  public IncomingOutputs(ShuffleCounters counters, Reporter reporter) {
    this.counters = counters;
    this.reporter = reporter;
  }

  /**
   * Receives a block into a pool.
   *
   * @throws IllegalArgumentException if it is neither data nor index of an output
   */
  public StreamCallbackWithID receive(ExecutorPool pool, BlockId block) throws IOException {
    if (block instanceof ShuffleDataBlockId data) {
      ShuffleBlockInfo output = new ShuffleBlockInfo(data.shuffleId(), data.mapId());
      return new DataStream(
          block.name(), output, pool.newReceivedOutput(data.shuffleId(), data.mapId()));
    }
    if (block instanceof ShuffleIndexBlockId index) {
      return new IndexStream(pool, index);
    }
    throw new IllegalArgumentException(block + " is not part of a map task's output");
  }

  private void keep(ShuffleBlockInfo output, ReceivedOutput received) throws IOException {
    ReceivedOutput replaced;
    synchronized (this) {
      replaced = withoutIndex.put(output, received);
    }
    if (replaced != null) { // the sender gave up, and tries again
      replaced.close();
    }
  }

  /** The index of an output has come: the output now exists, and the driver is told. */
  private void commit(ExecutorPool pool, ShuffleIndexBlockId index, long[] partitionBytes)
      throws IOException {
    ShuffleBlockInfo output = new ShuffleBlockInfo(index.shuffleId(), index.mapId());
    ReceivedOutput kept;
    synchronized (this) {
      kept = withoutIndex.remove(output);
    }
    long lengthBytes;
    try (ReceivedOutput received =
        kept != null ? kept : pool.newReceivedOutput(output.shuffleId(), output.mapId())) {
      lengthBytes = received.lengthBytes();
      // It is here already if the sender missed our answer and sends it once more.
      if (pool.partitionLengths(output.shuffleId(), output.mapId()).isEmpty()) {
        received.commit(partitionBytes);
        counters.movedHere(lengthBytes);
      }
    }
    if (lengthBytes > 0) {
      ShuffleDataBlockId data =
          new ShuffleDataBlockId(index.shuffleId(), index.mapId(), index.reduceId());
      reporter.report(pool, data, lengthBytes);
    }
    reporter.report(pool, index, (partitionBytes.length + 1L) * Long.BYTES);
  }

  /** Frees the outputs of a shuffle that still lack an index. */
  public void free(int shuffleId) throws IOException {
    List<ReceivedOutput> freed = new ArrayList<>();
    synchronized (this) {
      for (Iterator<ReceivedOutput> i = withoutIndex.values().iterator(); i.hasNext(); ) {
        ReceivedOutput received = i.next();
        if (received.shuffleId() == shuffleId) {
          i.remove();
          freed.add(received);
        }
      }
    }
    Closer.all(freed);
  }

  @Override
  public void close() throws IOException {
    List<ReceivedOutput> left;
    synchronized (this) {
      left = List.copyOf(withoutIndex.values());
      withoutIndex.clear();
    }
    Closer.all(left);
  }

  /**
   * Receives the bytes of an output.
   *
   * <p>Thread contract: one thread. Ownership: owns the received output until all its bytes have
   * come.
   */
  private final class DataStream implements StreamCallbackWithID {
    private final String name;
    private final ShuffleBlockInfo output;
    private final ReceivedOutput received;

    DataStream(String name, ShuffleBlockInfo output, ReceivedOutput received) {
      this.name = name;
      this.output = output;
      this.received = received;
    }

    @Override
    public String getID() {
      return name;
    }

    @Override
    public void onData(String streamId, ByteBuffer bytes) throws IOException {
      received.write(bytes);
    }

    @Override
    public void onComplete(String streamId) throws IOException {
      keep(output, received);
    }

    @Override
    public void onFailure(String streamId, Throwable cause) {
      try {
        received.close();
      } catch (IOException e) {
        throw new UncheckedIOException("the received part of " + name + " could not be freed", e);
      }
    }
  }

  /**
   * Receives the index of an output: where each partition begins and the last one ends, as numbers
   * of 8 bytes. It then commits the output.
   *
   * <p>Thread contract: one thread. Failure: {@link IOException} if the bytes are no such index.
   */
  private final class IndexStream implements StreamCallbackWithID {
    private final ExecutorPool pool;
    private final ShuffleIndexBlockId index;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    IndexStream(ExecutorPool pool, ShuffleIndexBlockId index) {
      this.pool = pool;
      this.index = index;
    }

    @Override
    public String getID() {
      return index.name();
    }

    @Override
    public void onData(String streamId, ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      received.writeBytes(copy);
    }

    @Override
    public void onComplete(String streamId) throws IOException {
      commit(pool, index, partitionBytes());
    }

    private long[] partitionBytes() throws IOException {
      ByteBuffer offsets = ByteBuffer.wrap(received.toByteArray());
      if (offsets.remaining() % Long.BYTES != 0 || offsets.remaining() < 2 * Long.BYTES) {
        throw new IOException(
            index.name()
                + " has "
                + offsets.remaining()
                + " bytes, expected 8 for each partition and 8 more");
      }
      long[] lengthsBytes = new long[offsets.remaining() / Long.BYTES - 1];
      long beginBytes = offsets.getLong();
      boolean ascends = beginBytes == 0;
      for (int partition = 0; partition < lengthsBytes.length; partition++) {
        long endBytes = offsets.getLong();
        ascends &= endBytes >= beginBytes;
        lengthsBytes[partition] = endBytes - beginBytes;
        beginBytes = endBytes;
      }
      if (!ascends) {
        throw new IOException(index.name() + " does not begin at 0 or does not ascend");
      }
      return lengthsBytes;
    }

    @Override
    public void onFailure(String streamId, Throwable cause) {
      // the received bytes go with this stream
    }
  }
}
