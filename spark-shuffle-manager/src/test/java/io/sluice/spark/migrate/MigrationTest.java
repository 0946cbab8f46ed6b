package io.sluice.spark.migrate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spark.pool.MapOutput;
import io.sluice.spill.cipher.ShuffleKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.util.AbstractFileRegion;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** Outputs from one pool into another, as Spark's transfer service moves them. */
class MigrationTest {
  private static final ShuffleBlockInfo OUTPUT = new ShuffleBlockInfo(4, 17);
  private static final ShuffleDataBlockId DATA = new ShuffleDataBlockId(4, 17, 0);
  private static final ShuffleIndexBlockId INDEX = new ShuffleIndexBlockId(4, 17, 0);

  @TempDir private Path base;
  private final ShuffleCounters counters = new ShuffleCounters();
  private final List<BlockId> reported = new ArrayList<>();
  private final IncomingOutputs incoming =
      new IncomingOutputs(
          counters,
          (pool, block, lengthBytes) -> {
            assertTrue(pool.block(4, 17, 0, 1).isPresent(), "reported before it can be read");
            reported.add(block);
          });
  private ExecutorPool sender;
  private ExecutorPool receiver;

  /** The key of outputs; null if they are not encrypted. */
  ShuffleKey key() {
    return null;
  }

  @BeforeEach
  void open() throws IOException {
    sender = pool("1");
    receiver = pool("2");
  }

  private ExecutorPool pool(String executor) throws IOException {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", base.toString())
            .set("spark.sluice.pool.capacity", "4m")
            .set("spark.sluice.pool.segmentSize", "1m");
    ApplicationSecret.create(conf);
    List<Path> localDirs = List.of(base.resolve("local" + executor));
    return ExecutorPool.open(
        conf, new ExecutorTransports(conf), key(), "app-1", executor, localDirs);
  }

  @AfterEach
  void close() throws IOException {
    incoming.close();
    sender.close();
    receiver.close();
  }

  private static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Partition 0 in two chunks around partition 2; partition 1 is empty. */
  private void write(byte[] first, byte[] second, byte[] firstAgain) throws IOException {
    try (MapOutput output = sender.newOutput(sender.begin(4), 17, 3)) {
      output.append(0, ByteBuffer.wrap(first), 1);
      output.append(2, ByteBuffer.wrap(second), 1);
      output.append(0, ByteBuffer.wrap(firstAgain), 1);
      output.commit();
    }
  }

  /** Sends a block as Netty does: into a channel that never takes much. */
  private void send(BlockId id, ManagedBuffer block) throws IOException {
    StreamCallbackWithID stream = incoming.receive(receiver, id);
    assertEquals(id.name(), stream.getID());
    Object body = block.convertToNetty();
    if (body instanceof AbstractFileRegion region) {
      WritableByteChannel channel = new SlowChannel(stream);
      while (region.transferred() < region.count()) {
        region.transferTo(channel, region.transferred());
      }
      assertEquals(block.size(), region.count());
    } else {
      stream.onData(stream.getID(), block.nioByteBuffer());
    }
    stream.onComplete(stream.getID());
  }

  private record SlowChannel(StreamCallbackWithID stream) implements WritableByteChannel {
    private static final int MOST_BYTES = 40_000;

    @Override
    public int write(ByteBuffer from) throws IOException {
      int n = Math.min(from.remaining(), MOST_BYTES);
      stream.onData(stream.getID(), from.slice(from.position(), n));
      from.position(from.position() + n);
      return n;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  private void move() throws IOException {
    for (Tuple2<BlockId, ManagedBuffer> block :
        OutgoingOutputs.blocks(sender, OUTPUT).orElseThrow()) {
      send(block._1(), block._2());
    }
  }

  private byte[] received(int first, int end) throws IOException {
    return receiver.block(4, 17, first, end).orElseThrow().nioByteBuffer().array();
  }

  @Test
  void aMovedOutputHasTheSamePartitionsAndIsReportedDataFirst() throws IOException {
    byte[] first = bytes(300_000, 1);
    byte[] second = bytes(100, 2);
    byte[] again = bytes(70_001, 3);
    write(first, second, again);
    move();
    ByteBuffer joined = ByteBuffer.allocate(370_001).put(first).put(again);
    assertArrayEquals(joined.array(), received(0, 1));
    assertEquals(0, received(1, 2).length);
    assertArrayEquals(second, received(1, 3));
    assertEquals(List.of(OUTPUT), receiver.outputs());
    assertEquals(List.of(DATA, INDEX), reported);
    assertEquals(370_101, counters.movedHereBytes());
  }

  @Test
  void whatHasNoRoomInTheReceiversMemoryGoesToItsDisk() throws IOException {
    byte[] large = bytes(9 << 20, 1);
    write(large, bytes(10, 2), bytes(10, 3));
    move();
    assertEquals(ByteBuffer.wrap(large), ByteBuffer.wrap(received(0, 1), 0, large.length));
    assertTrue(receiver.stats().disk().usedBytes() > 0, receiver.stats().toString());
  }

  @Test
  void anOutputWithoutRecordsIsAnIndexAlone() throws IOException {
    try (MapOutput output = sender.newOutput(sender.begin(4), 17, 3)) {
      output.commit();
    }
    move();
    assertEquals(0, received(0, 3).length);
    assertEquals(List.of(INDEX), reported);
  }

  @Test
  void theBlocksAreWhatStocksFilesHold() throws IOException {
    write(bytes(5, 1), bytes(7, 2), bytes(3, 3));
    List<Tuple2<BlockId, ManagedBuffer>> blocks =
        OutgoingOutputs.blocks(sender, OUTPUT).orElseThrow();
    assertEquals(List.of(DATA, INDEX), blocks.stream().map(Tuple2::_1).toList());
    assertEquals(15, blocks.get(0)._2().size());
    ByteBuffer index = ByteBuffer.allocate(32).putLong(0).putLong(8).putLong(8).putLong(15).flip();
    assertEquals(index, blocks.get(1)._2().nioByteBuffer());
    assertTrue(OutgoingOutputs.blocks(sender, new ShuffleBlockInfo(4, 18)).isEmpty());
  }

  @Test
  void aSecondAttemptToSendReplacesTheFirst() throws IOException {
    write(bytes(500, 1), bytes(7, 2), bytes(3, 3));
    StreamCallbackWithID stream = incoming.receive(receiver, DATA);
    stream.onData(stream.getID(), ByteBuffer.wrap(bytes(100, 9)));
    stream.onComplete(stream.getID());
    move();
    move();
    assertEquals(503, received(0, 1).length);
    assertEquals(List.of(OUTPUT), receiver.outputs());
  }

  @Test
  void nothingIsLeftOfATransferThatBreaksOrWhoseShuffleIsFreed() throws IOException {
    long emptyBytes = receiver.stats().memory().usedBytes();
    StreamCallbackWithID broken = incoming.receive(receiver, DATA);
    broken.onData(broken.getID(), ByteBuffer.wrap(bytes(100_000, 1)));
    broken.onFailure(broken.getID(), new IOException("test"));
    StreamCallbackWithID freed = incoming.receive(receiver, DATA);
    freed.onData(freed.getID(), ByteBuffer.wrap(bytes(100_000, 1)));
    freed.onComplete(freed.getID());
    assertTrue(receiver.stats().memory().usedBytes() >= emptyBytes);
    incoming.free(4);
    assertEquals(List.of(), receiver.outputs());
    assertEquals(List.of(), reported);
  }

  @Test
  void anIndexThatDoesNotFitItsDataIsRefused() throws IOException {
    StreamCallbackWithID data = incoming.receive(receiver, DATA);
    data.onData(data.getID(), ByteBuffer.wrap(bytes(10, 1)));
    data.onComplete(data.getID());
    assertRefused("less than its partitions", 0, 11);
    assertRefused("less than its partitions", 0, 1); // the data went with the first
    assertRefused("does not ascend", 0, 2, 1);
    assertRefused("does not begin at 0", 1, 2);
    assertRefused("expected 8 for each partition", 0);
    assertEquals(List.of(), receiver.outputs());
    assertEquals(List.of(), reported);
  }

  @Test
  void dataBehindTheLastPartitionIsRefused() throws IOException {
    StreamCallbackWithID data = incoming.receive(receiver, DATA);
    data.onData(data.getID(), ByteBuffer.wrap(bytes(10, 1)));
    data.onComplete(data.getID());
    assertRefused("1 bytes more than its partitions", 0, 9);
    assertEquals(List.of(), receiver.outputs());
  }

  private void assertRefused(String why, long... offsets) throws IOException {
    ByteBuffer index = ByteBuffer.allocate(offsets.length * Long.BYTES);
    for (long offset : offsets) {
      index.putLong(offset);
    }
    StreamCallbackWithID stream = incoming.receive(receiver, INDEX);
    stream.onData(stream.getID(), index.flip());
    String message =
        assertThrows(IOException.class, () -> stream.onComplete(stream.getID())).getMessage();
    assertTrue(message.contains(why), message);
  }

  @Test
  void aBlockOfAnotherKindIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> incoming.receive(receiver, new ShuffleBlockId(4, 17, 0)));
  }
}
