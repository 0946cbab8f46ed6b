package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.pool.PoolBlock.DamagedBlockException;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreFullException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ExecutorPoolTest {
  private static final int SHUFFLE = 4;
  private static final long MAP = 17;

  @TempDir private Path base;
  private ExecutorPool pool;

  @BeforeEach
  void open() throws IOException {
    pool = open(base, base.resolve("local"));
  }

  private static ExecutorPool open(Path poolDirectory, Path localDirectory) throws IOException {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", poolDirectory.toString())
            .set("spark.sluice.pool.capacity", "4m")
            .set("spark.sluice.pool.segmentSize", "1m");
    ApplicationSecret.create(conf);
    return ExecutorPool.open(
        conf, new ExecutorTransports(conf), null, "app-1", "7", List.of(localDirectory));
  }

  /** As Kubernetes makes an emptyDir, on disk or in memory: for all, and not sticky. */
  private Path volume(String name) throws IOException {
    return Files.setPosixFilePermissions(
        Files.createDirectory(base.resolve(name)), PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  @AfterEach
  void close() throws IOException {
    pool.close();
  }

  @Test
  void aDataAddressThatMeansNoneLeavesNothingBehind() throws IOException {
    Path other = base.resolve("other");
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", other.toString())
            .set("spark.sluice.pool.dataAddress", "ib99");
    ApplicationSecret.create(conf);
    ExecutorTransports transports = new ExecutorTransports(conf);
    String message =
        assertThrows(
                IOException.class,
                () -> ExecutorPool.open(conf, transports, null, "app-1", "8", List.of()))
            .getMessage();
    assertTrue(message.startsWith("spark.sluice.pool.dataAddress is 'ib99'"), message);
    try (Stream<Path> left = Files.walk(other)) {
      assertEquals(List.of(), left.filter(each -> each.endsWith("app-1-8")).toList());
    }
  }

  @Test
  void aSmallShuffleAllocatesOneSegment() throws IOException {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.capacity", "512m")
            .set("spark.sluice.pool.segmentSize", "64m");
    ApplicationSecret.create(conf);
    try (ExecutorPool large =
        ExecutorPool.open(
            conf,
            new ExecutorTransports(conf),
            null,
            "app-1",
            "8",
            List.of(base.resolve("local8")))) {
      for (int map = 0; map < 200; map++) {
        try (MapOutput output = large.newOutput(large.begin(SHUFFLE), map, 1)) {
          output.append(0, ByteBuffer.wrap(bytes(1_000, map)), 1);
          output.commit();
        }
      }
      assertEquals(64 << 20, large.stats().memory().createdBytes());
      assertEquals(512 << 20, large.stats().memory().capacityBytes());
    }
  }

  private static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private void write(byte[] first, byte[] second, byte[] firstAgain) throws IOException {
    try (MapOutput output = pool.newOutput(pool.begin(SHUFFLE), MAP, 3)) {
      output.append(0, ByteBuffer.wrap(first), 1);
      output.append(2, ByteBuffer.wrap(second), 1);
      output.append(0, ByteBuffer.wrap(firstAgain), 1);
      output.commit();
    }
  }

  @Test
  void givesTheChunksOfAPartitionAsOneBlock() throws IOException {
    byte[] first = bytes(300_000, 1);
    byte[] second = bytes(100, 2);
    byte[] again = bytes(70_001, 3);
    write(first, second, again);
    ExecutorBlock block = pool.block(SHUFFLE, MAP, 0, 1).orElseThrow();
    ByteBuffer joined = ByteBuffer.allocate(370_001).put(first).put(again);
    assertEquals(370_001, block.size());
    assertArrayEquals(joined.array(), block.nioByteBuffer().array());
    try (InputStream stream = block.createInputStream()) {
      assertArrayEquals(joined.array(), stream.readAllBytes());
    }
    ExecutorBlock batch = pool.block(SHUFFLE, MAP, 1, 3).orElseThrow();
    assertArrayEquals(second, batch.nioByteBuffer().array());
    assertTrue(pool.block(SHUFFLE, MAP + 1, 0, 1).isEmpty());
  }

  /** The defect was: what this executor's tasks, and Spark's server, read here nobody verified. */
  @Test
  void noByteOfADamagedBlockIsHandedOn() throws IOException {
    byte[] first = bytes(300_000, 1);
    byte[] again = bytes(70_001, 3);
    write(first, bytes(100, 2), again);
    byte[] whole = ByteBuffer.allocate(370_001).put(first).put(again).array();
    for (int damagedAt : new int[] {0, 32_767, 32_768, 299_999, 300_000, 337_000, 370_000}) {
      flip(whole, damagedAt);
      ExecutorBlock block = pool.block(SHUFFLE, MAP, 0, 1).orElseThrow();
      ByteArrayOutputStream seen = new ByteArrayOutputStream();
      try (InputStream stream = block.createInputStream()) {
        assertThrows(DamagedBlockException.class, () -> stream.transferTo(seen));
      }
      assertTrue(seen.size() <= damagedAt, seen.size() + " bytes, the damage is at " + damagedAt);
      assertArrayEquals(Arrays.copyOf(whole, seen.size()), seen.toByteArray());
      assertThrows(DamagedBlockException.class, block::nioByteBuffer);
      assertThrows(DamagedBlockException.class, block::convertToNetty);
      assertThrows(DamagedBlockException.class, block::convertToNettyForSsl);
      flip(whole, damagedAt);
    }
    ExecutorBlock mended = pool.block(SHUFFLE, MAP, 0, 1).orElseThrow();
    assertArrayEquals(whole, mended.nioByteBuffer().array());
  }

  /** Flips a bit where the pool has this byte of the block. */
  private void flip(byte[] whole, int damagedAt) throws IOException {
    boolean inFirst = damagedAt < 300_000;
    flip(whole, damagedAt, inFirst ? 0 : 300_000, inFirst ? 300_000 : whole.length);
  }

  private void flip(byte[] whole, int damagedAt, int start, int limit) throws IOException {
    int from = Math.max(start, damagedAt - 40);
    int end = Math.min(limit, damagedAt + 40);
    try (Stream<Path> files = Files.walk(base)) {
      for (Path file : files.filter(each -> each.toString().contains("segment-")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        for (int at = 0; at + end - from <= bytes.length; at++) {
          int around = Arrays.mismatch(bytes, at, at + damagedAt - from, whole, from, damagedAt);
          int behind =
              Arrays.mismatch(
                  bytes, at + damagedAt - from + 1, at + end - from, whole, damagedAt + 1, end);
          if (around < 0 && behind < 0) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
              byte flipped = (byte) (bytes[at + damagedAt - from] ^ 4);
              channel.write(ByteBuffer.wrap(new byte[] {flipped}), at + damagedAt - from);
            }
            return;
          }
        }
      }
    }
    throw new AssertionError("byte " + damagedAt + " is not in " + base);
  }

  @Test
  void whatIsDamagedWhileItIsReceivedIsNotCommitted() throws IOException {
    byte[] whole = bytes(100_000, 5);
    try (ReceivedOutput received = pool.newReceivedOutput(SHUFFLE, MAP)) {
      received.write(ByteBuffer.wrap(whole));
      flip(whole, 60_000, 0, whole.length);
      IOException e =
          assertThrows(IOException.class, () -> received.commit(new long[] {40_000, 60_000}));
      assertTrue(e.getMessage().contains("CRC32C"), e.getMessage());
    }
    assertTrue(pool.block(SHUFFLE, MAP, 0, 1).isEmpty());
  }

  @Test
  void whatHasNoRoomInMemoryGoesToTheLocalDirectory() throws IOException {
    byte[] large = bytes(9 << 20, 1);
    write(large, bytes(10, 2), bytes(10, 3));
    assertTrue(pool.stats().disk().usedBytes() > 0, pool.stats().toString());
    byte[] read = pool.block(SHUFFLE, MAP, 0, 1).orElseThrow().nioByteBuffer().array();
    assertEquals(large.length + 10, read.length);
    assertEquals(ByteBuffer.wrap(large), ByteBuffer.wrap(read, 0, large.length));
  }

  @Test
  void aPoolWorksInVolumesThatAnybodyMayWriteTo() throws IOException {
    pool.close();
    Path local = volume("disk").resolve("blockmgr");
    pool = open(volume("memory"), local);
    assertEquals(0, pool.stats().failedDirectories());
    whatHasNoRoomInMemoryGoesToTheLocalDirectory();
    for (Path own : List.of(local.resolve("sluice-overflow"), home("memory"))) {
      assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(own)));
    }
  }

  private Path home(String volume) throws IOException {
    return base.resolve(volume).resolve("sluice-spark-" + Owner.nameOfThisProcess());
  }

  @Test
  void aPoolWithoutADirectoryToOverflowToWorksUntilItIsFull() throws IOException {
    pool.close();
    Path broken = Files.createFile(base.resolve("broken"));
    pool = open(base, broken);
    assertEquals(1, pool.stats().failedDirectories());
    write(bytes(10, 1), bytes(10, 2), bytes(10, 3));
    assertArrayEquals(
        bytes(10, 2), pool.block(SHUFFLE, MAP, 2, 3).orElseThrow().nioByteBuffer().array());
    byte[] large = bytes(9 << 20, 1);
    IOException e =
        assertThrows(StoreFullException.class, () -> write(large, bytes(10, 2), bytes(10, 3)));
    assertTrue(e.getMessage().contains("left out " + broken), e.getMessage());
  }

  @Test
  void nothingOfAnOutputExistsWithoutACommit() throws IOException {
    try (MapOutput output = pool.newOutput(pool.begin(SHUFFLE), MAP, 1)) {
      output.append(0, ByteBuffer.wrap(bytes(10, 1)), 1);
    }
    assertTrue(pool.block(SHUFFLE, MAP, 0, 1).isEmpty());
  }

  @Test
  void anAttemptThatCommitsAfterItsShuffleWasFreedLeavesNothing() throws IOException {
    try (MapOutput late = pool.newOutput(pool.begin(SHUFFLE), MAP, 1)) {
      late.append(0, ByteBuffer.wrap(bytes(10, 1)), 1);
      pool.free(SHUFFLE);
      late.commit();
    }
    assertEquals(0, pool.stats().outputs());
  }

  /** Spark removes the outputs of a query that has ended, and computes them again for another. */
  @Test
  void anAttemptThatBeginsAfterItsShuffleWasFreedCounts() throws IOException {
    write(bytes(10, 1), bytes(10, 2), bytes(10, 3));
    pool.free(SHUFFLE);
    assertTrue(pool.block(SHUFFLE, MAP, 0, 1).isEmpty());
    write(bytes(10, 4), bytes(10, 5), bytes(10, 6));
    assertArrayEquals(
        bytes(10, 5), pool.block(SHUFFLE, MAP, 2, 3).orElseThrow().nioByteBuffer().array());
  }

  @Test
  void anAttemptThatCommitsTooLateLeavesWhatWasComputedAgain() throws IOException {
    try (MapOutput late = pool.newOutput(pool.begin(SHUFFLE), MAP + 1, 1)) {
      late.append(0, ByteBuffer.wrap(bytes(10, 1)), 1);
      pool.free(SHUFFLE);
      write(bytes(10, 4), bytes(10, 5), bytes(10, 6));
      late.commit();
    }
    assertTrue(pool.block(SHUFFLE, MAP + 1, 0, 1).isEmpty());
    assertArrayEquals(
        bytes(10, 5), pool.block(SHUFFLE, MAP, 2, 3).orElseThrow().nioByteBuffer().array());
  }

  @Test
  void countsWhatWasCommittedAndAlsoWhatIsFreed() throws IOException {
    try (MapOutput dropped = pool.newOutput(pool.begin(SHUFFLE), MAP, 1)) {
      dropped.append(0, ByteBuffer.wrap(bytes(1000, 1)), 1);
    }
    assertEquals(0, pool.writtenBytes());
    write(bytes(10, 1), bytes(20, 2), bytes(30, 3));
    pool.free(SHUFFLE);
    assertEquals(60, pool.writtenBytes());
  }

  @Test
  void freeingAShuffleLeavesTheOthers() throws IOException {
    write(bytes(10, 1), bytes(10, 2), bytes(10, 3));
    try (MapOutput other = pool.newOutput(pool.begin(SHUFFLE * 10), MAP, 1)) {
      other.append(0, ByteBuffer.wrap(bytes(10, 1)), 1);
      other.commit();
    }
    pool.free(SHUFFLE);
    assertTrue(pool.block(SHUFFLE, MAP, 0, 1).isEmpty());
    assertFalse(pool.block(SHUFFLE * 10, MAP, 0, 1).isEmpty());
  }

  /** A disk that hangs under a read; the process may be about to end. */
  @Test
  @Timeout(300)
  void readsThatDoNotEndAreNotWaitedForWithoutALimit() throws Exception {
    write(bytes(100, 1), bytes(100, 2), bytes(100, 3));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    Thread reader = new Thread(() -> read(begun, mayEnd));
    reader.start();
    begun.await();
    assertThrows(IOException.class, () -> pool.close(1));
    assertTrue(pool.block(SHUFFLE, MAP, 0, 1).isPresent(), "all is as before");
    mayEnd.countDown();
    reader.join();
    pool.close();
    assertTrue(pool.block(SHUFFLE, MAP, 0, 1).isEmpty());
  }

  private void read(CountDownLatch begun, CountDownLatch mayEnd) {
    try {
      pool.whileOpen(
          () -> {
            begun.countDown();
            try {
              mayEnd.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aBlockThatOutlivesThePoolFailsInsteadOfReadingMemoryThatIsGone() throws IOException {
    write(bytes(10, 1), bytes(10, 2), bytes(10, 3));
    ExecutorBlock block = pool.block(SHUFFLE, MAP, 0, 1).orElseThrow();
    try (InputStream stream = block.createInputStream()) {
      pool.close();
      assertThrows(IOException.class, stream::read);
    }
    assertThrows(IOException.class, block::nioByteBuffer);
    assertEquals(
        0,
        Files.list(base.resolve("sluice-spark-" + Owner.nameOfThisProcess()))
            .filter(path -> !path.endsWith(".guard"))
            .count());
  }

  /** As executors of one host do that have the same settings. */
  @Test
  void poolsTakeThePortsBehindTheTakenOnes() throws IOException {
    int ports = 1 + new ExecutorTransports(new SparkConf(false)).serving().size();
    int first = freePorts(2 * ports);
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", base.toString())
            .set("spark.sluice.pool.segmentSize", "1m")
            .set("spark.sluice.pool.port", Integer.toString(first))
            .set("spark.port.maxRetries", "1");
    ApplicationSecret.create(conf);
    try (ExecutorPool one = openAt(conf, "8");
        ExecutorPool two = openAt(conf, "9")) {
      assertEquals(first, one.controlPort());
      assertEquals(first + ports, two.controlPort());
      IOException none = assertThrows(IOException.class, () -> openAt(conf, "10"));
      assertTrue(
          none.getMessage()
              .startsWith(
                  "no %s free ports in a row from spark.sluice.pool.port = %s on, after 2 tries, see"
                          .formatted(ports, first)
                      + " spark.port.maxRetries: "),
          none.getMessage());
    }
    try (ServerSocket taken = new ServerSocket(first + 1)) { // where a transport would listen
      assertEquals(first + 1, taken.getLocalPort());
      try (ExecutorPool pool = openAt(conf, "8")) {
        assertEquals(first + ports, pool.controlPort());
      }
    }
  }

  @Test
  void portsEndWhereTheirNumbersDo() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", base.toString())
            .set("spark.sluice.pool.port", "65535");
    ApplicationSecret.create(conf);
    IOException none = assertThrows(IOException.class, () -> openAt(conf, "8"));
    assertTrue(none.getMessage().contains("spark.sluice.pool.port = 65535 on, after 0 tries"));
  }

  private static ExecutorPool openAt(SparkConf conf, String executorId) throws IOException {
    return ExecutorPool.open(
        conf, new ExecutorTransports(conf), null, "app-1", executorId, List.of());
  }

  /** Below those that the system gives to others, and apart from another run of this test. */
  private static int freePorts(int count) throws IOException {
    int first = 20_000 + (int) (ProcessHandle.current().pid() % 1_000) * 10;
    int free = 0;
    while (free < count) {
      try (ServerSocket probe = new ServerSocket(first + free)) {
        free += probe.isBound() ? 1 : 0;
      } catch (BindException e) {
        first += free + 1;
        free = 0;
      }
    }
    return first;
  }
}
