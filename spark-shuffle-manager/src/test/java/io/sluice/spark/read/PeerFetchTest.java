package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.sluice.node.wire.NodeAddress;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.BlockRange;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spark.pool.MapOutput;
import io.sluice.spark.pool.TestChunks;
import io.sluice.spark.read.BlockTarget.FileTarget;
import io.sluice.spark.read.BlockTarget.MemoryTarget;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.SimpleDownloadFile;
import org.apache.spark.network.util.TransportConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged blocks: none of their bytes are delivered, and all windows are free again. */
@Tag("slow")
class PeerFetchTest {
  private static final int CHUNK_BYTES = 100_000;
  private static final int RUNS = 3;
  private static final int DAMAGED = 18; // maps
  private static final int PARTITIONS = 1_200;
  private static final int RUN_BYTES = 20;

  @TempDir private Path base;
  private final SparkConf conf = new SparkConf(false);
  private ExecutorPool pool;

  /** The key of outputs; null if they are not encrypted. */
  ShuffleKey key() {
    return null;
  }

  @BeforeEach
  void open() throws IOException {
    conf.set("spark.app.id", "app-1")
        .set("spark.sluice.pool.dir", base.toString())
        .set("spark.sluice.pool.capacity", "32m")
        .set("spark.sluice.pool.segmentSize", "1m")
        .set("spark.sluice.read.buffer", "4m")
        .set("spark.sluice.io.timeout", "10000ms");
    ApplicationSecret.create(conf);
    pool =
        ExecutorPool.open(
            conf,
            new ExecutorTransports(conf),
            key(),
            "app-1",
            "1",
            List.of(base.resolve("local")));
  }

  @AfterEach
  void close() throws IOException {
    pool.close();
  }

  private void write(int mapId, int damagedRun) throws IOException {
    try (MapOutput output = pool.newOutput(pool.begin(0), mapId, 1)) {
      for (int run = 0; run < RUNS; run++) {
        ByteBuffer summed = ByteBuffer.allocate(CHUNK_BYTES);
        summed.put(CHUNK_BYTES - 1, (byte) (run == damagedRun ? 1 : 0));
        BlockChecksums checksums = BlockChecksummer.sum(summed);
        TestChunks.append(output, ByteBuffer.allocate(CHUNK_BYTES), checksums);
      }
      output.commit();
    }
  }

  private NodeAddress address() {
    return new NodeAddress(
        "peer", new InetSocketAddress(InetAddress.getLoopbackAddress(), pool.controlPort()));
  }

  /**
   * Fails more fetches than there are windows; closing the reader fails if a window is out. The
   * pool no longer holds an output that it found damaged, so its map task runs again.
   */
  @Test
  void aDamagedRunCostsNoWindowOfTheNextOne() throws IOException {
    for (int mapId = 0; mapId < DAMAGED; mapId++) {
      write(mapId, mapId % RUNS);
    }
    write(DAMAGED, RUNS); // this one is whole
    try (PeerReader peers =
        new PeerReader(conf, new ExecutorTransports(conf), new ShuffleCounters(), this::key)) {
      for (int mapId = 0; mapId < DAMAGED; mapId++) {
        BlockRange damaged = block(mapId);
        PeerFetch.Receiver nothing = (block, bytes) -> fail(block + " is damaged");
        IOException e = assertThrows(IOException.class, () -> fetch(peers, damaged).run(nothing));
        assertTrue(e.getMessage().contains("CRC"), e.getMessage());
        assertEquals(List.of(damaged), fetch(peers, damaged).run(nothing));
      }
      List<BlockRange> absent =
          fetch(peers, block(DAMAGED))
              .run((block, bytes) -> assertEquals(RUNS * CHUNK_BYTES, bytes.size()));
      assertEquals(List.of(), absent);
    }
  }

  private static BlockRange block(int mapId) {
    return BlockRange.of("shuffle_0_" + mapId + "_0").orElseThrow();
  }

  private PeerFetch fetch(PeerReader peers, BlockRange block) {
    return new PeerFetch(peers.reader(), address(), List.of(block), MemoryTarget::open);
  }

  /** Of a task that Spark grants no memory; a partition's runs are described in one answer. */
  @Test
  void aPartitionOfAnyNumberOfChunksIsRead() throws IOException {
    int chunks = 300_000;
    ByteBuffer expected = ByteBuffer.allocate(chunks * Integer.BYTES);
    try (MapOutput output = pool.newOutput(pool.begin(0), 0, 2)) {
      for (int i = 0; i < chunks; i++) {
        output.append(1, expected.putInt(i).duplicate().flip().position(i * Integer.BYTES), 1);
      }
      output.commit();
    }
    BlockRange block = BlockRange.of("shuffle_0_0_1").orElseThrow();
    try (PeerReader peers =
        new PeerReader(conf, new ExecutorTransports(conf), new ShuffleCounters(), this::key)) {
      List<BlockRange> absent =
          new PeerFetch(peers.reader(), address(), List.of(block), MemoryTarget::open)
              .run((of, bytes) -> assertEquals(expected.flip(), contents(bytes)));
      assertEquals(List.of(), absent);
    }
  }

  private static ByteBuffer contents(ManagedBuffer buffer) {
    try {
      return buffer.nioByteBuffer();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The defect was: the block came without these partitions, and was valid and too short. */
  @Test
  void aBlockOfManyPartitionsIsAbsentWhenTheIndexOfOneIsDamaged() throws IOException {
    for (int mapId = 0; mapId < 2; mapId++) {
      try (MapOutput output = pool.newOutput(pool.begin(0), mapId, PARTITIONS)) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          output.append(partition, ByteBuffer.allocate(RUN_BYTES), 1);
        }
        output.commit();
      }
    }
    BlockRange damaged = BlockRange.of("shuffle_0_0_0_" + PARTITIONS).orElseThrow();
    BlockRange whole = BlockRange.of("shuffle_0_1_0_" + PARTITIONS).orElseThrow();
    try (PeerReader peers =
        new PeerReader(conf, new ExecutorTransports(conf), new ShuffleCounters(), this::key)) {
      assertEquals(List.of(), fetch(peers, List.of(damaged, whole), damaged, whole));
      flip(indexEntry(700));
      assertEquals(List.of(damaged), fetch(peers, List.of(damaged, whole), whole));
    }
  }

  /** Where Spark wants large blocks; of a damaged one nothing stays. */
  @Test
  void blocksAreReadIntoFilesOfTheTask() throws IOException {
    write(0, RUNS);
    write(1, 2);
    List<DownloadFile> kept = new ArrayList<>();
    DownloadFileManager files = files(kept);
    BlockRange whole = BlockRange.of("shuffle_0_0_0").orElseThrow();
    BlockRange damaged = BlockRange.of("shuffle_0_1_0").orElseThrow();
    try (PeerReader peers =
        new PeerReader(conf, new ExecutorTransports(conf), new ShuffleCounters(), this::key)) {
      new PeerFetch(peers.reader(), address(), List.of(whole), FileTarget.in(files))
          .run(
              (block, bytes) -> {
                assertInstanceOf(FileSegmentManagedBuffer.class, bytes);
                assertEquals(RUNS * CHUNK_BYTES, bytes.size());
              });
      PeerFetch fetch =
          new PeerFetch(peers.reader(), address(), List.of(damaged), FileTarget.in(files));
      assertThrows(IOException.class, () -> fetch.run((block, bytes) -> assertTrue(false)));
    }
    try (Stream<Path> left = Files.list(base.resolve("files"))) {
      assertEquals(kept.stream().map(file -> Path.of(file.path())).toList(), left.toList());
    }
  }

  private DownloadFileManager files(List<DownloadFile> kept) throws IOException {
    Path directory = Files.createDirectory(base.resolve("files"));
    return new DownloadFileManager() {
      @Override
      public DownloadFile createTempFile(TransportConf transport) {
        try {
          return new SimpleDownloadFile(
              Files.createTempFile(directory, "block", "").toFile(), transport);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public boolean registerTempFileToClean(DownloadFile file) {
        return kept.add(file);
      }
    };
  }

  /** A run that waits for a window must not wait for a run that is read later. */
  @Test
  void manyTasksReadManySmallBlocksThroughFewWindows() throws Exception {
    int partitions = 300;
    try (MapOutput output = pool.newOutput(pool.begin(0), 0, partitions)) {
      for (int partition = 0; partition < partitions; partition++) {
        byte[] run = new byte[1 + 300 * partition];
        Arrays.fill(run, (byte) partition);
        output.append(partition, ByteBuffer.wrap(run), 1);
      }
      output.commit();
    }
    List<BlockRange> blocks = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      blocks.add(BlockRange.of("shuffle_0_0_" + partition).orElseThrow());
    }
    conf.set("spark.sluice.read.buffer", "1m");
    ExecutorService tasks = Executors.newFixedThreadPool(8);
    try (PeerReader peers =
        new PeerReader(conf, new ExecutorTransports(conf), new ShuffleCounters(), this::key)) {
      List<Future<List<BlockRange>>> reads = new ArrayList<>();
      for (int task = 0; task < 8; task++) {
        PeerFetch fetch = new PeerFetch(peers.reader(), address(), blocks, MemoryTarget::open);
        reads.add(tasks.submit(() -> fetch.run(PeerFetchTest::checkFilled)));
      }
      for (Future<List<BlockRange>> read : reads) {
        assertEquals(List.of(), read.get(120, TimeUnit.SECONDS));
      }
    } finally {
      tasks.shutdownNow();
    }
  }

  private static void checkFilled(BlockRange block, ManagedBuffer bytes) {
    ByteBuffer content;
    try {
      content = bytes.nioByteBuffer();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertEquals(1 + 300 * block.partitions().first(), content.remaining());
    while (content.hasRemaining()) {
      assertEquals((byte) block.partitions().first(), content.get());
    }
  }

  /** Fetches the blocks; exactly {@code arriving} must arrive, whole. Returns the others. */
  private List<BlockRange> fetch(PeerReader peers, List<BlockRange> blocks, BlockRange... arriving)
      throws IOException {
    List<BlockRange> arrived = new ArrayList<>();
    List<BlockRange> absent =
        new PeerFetch(peers.reader(), address(), blocks, MemoryTarget::open)
            .run(
                (block, bytes) -> {
                  assertEquals((long) PARTITIONS * RUN_BYTES, bytes.size());
                  arrived.add(block);
                });
    assertEquals(List.of(arriving), arrived);
    return absent;
  }

  /** The index of a partition with one run, after partitions with one run each. */
  private static byte[] indexEntry(int partition) {
    byte[] numbers = ByteBuffer.allocate(8).putInt(partition).putInt(partition).array();
    CRC32C crc = new CRC32C();
    crc.update(numbers);
    return ByteBuffer.allocate(8).putInt(partition).putInt((int) crc.getValue()).array();
  }

  /** Flips a bit where the pool has these bytes first, which is in the first output. */
  private void flip(byte[] bytes) throws IOException {
    try (Stream<Path> files = Files.walk(base)) {
      for (Path file :
          files.filter(each -> each.toString().contains("segment-")).sorted().toList()) {
        byte[] segment = Files.readAllBytes(file);
        for (int at = 0; at + bytes.length <= segment.length; at += 4) {
          if (Arrays.equals(segment, at, at + bytes.length, bytes, 0, bytes.length)) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
              channel.write(ByteBuffer.wrap(new byte[] {(byte) (bytes[3] ^ 4)}), at + 3);
            }
            return;
          }
        }
      }
    }
    throw new AssertionError("the pool does not have these bytes");
  }
}
