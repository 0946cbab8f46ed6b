package io.sluice.spark.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spark.metrics.Fallbacks;
import io.sluice.spill.store.StoreStats.TierStats;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.DiskBlockManager;
import org.apache.spark.storage.DiskStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SluiceDiskStoreTest extends DiskStoreContractTest {
  private static final int CAPACITY_MB = 4;
  private static final Map<String, Long> ONE_FULL = Map.of("the pool is full", 1L);

  private final Fallbacks fallbacks = new Fallbacks("left to files");
  private long mappedBytes;
  private DiskStore stock;
  private SluiceDiskStore store;

  @BeforeEach
  void count() {
    mappedBytes = OffHeap.mappedBytes();
  }

  @Override
  SparkConf conf() {
    return super.conf()
        .set("spark.sluice.pool.dir", directory.toString())
        .set("spark.sluice.pool.segmentSize", "1m")
        .set("spark.sluice.persistence.capacity", CAPACITY_MB + "m");
  }

  @Override
  DiskStore open(SparkConf conf, DiskBlockManager files, SecurityManager security) {
    stock = new DiskStore(conf, files, security);
    store = new SluiceDiskStore(conf, files, security, stock, "7", fallbacks);
    return store;
  }

  @Override
  void close() throws IOException {
    if (store != null) {
      assertEquals(0, usedBytes(), "memory of blocks that were removed");
      assertEquals(0, store.blockCount());
      store.close();
      assertEquals(List.of(), poolFiles());
      assertEquals(mappedBytes, OffHeap.mappedBytes(), "mapped memory");
    }
  }

  private long usedBytes() {
    return store.stats().map(TierStats::usedBytes).orElse(0L);
  }

  private List<Path> poolFiles() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(path -> path.toString().contains("sluice-spark-"))
          .filter(path -> Files.isRegularFile(path) && !path.endsWith(".guard"))
          .toList();
    }
  }

  @Test
  void theBlocksAreInThePoolAndInNoFile() throws IOException {
    open(false);
    put(store, ID, bytes(1_500_000, 1));
    assertFalse(stock.contains(ID));
    assertEquals(1, store.blockCount());
    assertTrue(usedBytes() >= 1_500_000 && usedBytes() < 1_500_000 + 2 * 65_536, "" + usedBytes());
    assertEquals(Map.of(), fallbacks.counts());
    store.remove(ID);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBlockForWhichThePoolTurnsOutToBeTooSmallGoesToAFile(boolean encrypted) throws IOException {
    open(encrypted);
    put(store, OTHER, bytes(1_000_000, 1));
    byte[] large = bytes(CAPACITY_MB << 20, 2);
    put(store, ID, large);
    assertTrue(stock.contains(ID));
    assertHolds(store, ID, large);
    assertHolds(store, OTHER, bytes(1_000_000, 1));
    assertEquals(ONE_FULL, fallbacks.counts());
    assertTrue(usedBytes() < 1_200_000, "what was begun in the pool is free again");
    assertTrue(store.remove(ID));
    assertFalse(store.contains(ID));
    store.remove(OTHER);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileForWhichThePoolIsTooSmallStaysAFile(boolean encrypted) throws IOException {
    open(encrypted);
    byte[] large = bytes((CAPACITY_MB << 20) + 1, 3);
    File source = file(large);
    store.moveFileToBlock(source, large.length, ID);
    assertFalse(source.exists());
    assertTrue(stock.contains(ID));
    assertHolds(store, ID, large);
    assertEquals(ONE_FULL, fallbacks.counts());
    store.remove(ID);
  }

  /** Scala's functions, and those of users in them, throw checked exceptions too. */
  @ParameterizedTest
  @ValueSource(ints = {100_000, (CAPACITY_MB << 20) + 1})
  void ofABlockThatFailsNothingStays(int lengthBytes) throws IOException {
    open(false);
    for (Exception failure :
        List.of(
            new IllegalStateException("expected by this test"),
            new InterruptedException("expected by this test"),
            new SQLException("expected by this test"))) {
      Exception thrown =
          assertThrows(
              Exception.class,
              () ->
                  store.put(
                      ID,
                      channel -> {
                        writer(bytes(lengthBytes, 4), 1 << 20).apply(channel);
                        throw SluiceDiskStoreTest.<RuntimeException>asItIs(failure);
                      }));
      assertSame(failure, thrown);
      assertFalse(store.contains(ID));
      assertEquals(0, usedBytes(), failure.toString());
      assertEquals(0, store.stats().orElseThrow().leasedBytes(), failure.toString());
      try (Stream<Path> files = Files.walk(directory.resolve("local"))) {
        assertEquals(List.of(), files.filter(Files::isRegularFile).toList());
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T asItIs(Throwable failure) throws T {
    throw (T) failure;
  }

  @Test
  void theLastBlockOfThePoolCanBeHad() throws IOException {
    open(false);
    byte[] most = bytes((CAPACITY_MB << 20) - 65_536, 5);
    put(store, ID, most);
    put(store, OTHER, bytes(65_536, 6));
    assertEquals(CAPACITY_MB << 20, usedBytes());
    assertHolds(store, ID, most);
    assertHolds(store, OTHER, bytes(65_536, 6));
    assertEquals(Map.of(), fallbacks.counts());
    store.remove(ID);
    store.remove(OTHER);
  }

  @Test
  void whatWasThereBeforeItCameStays() throws IOException {
    open(false);
    put(stock, ID, bytes(10, 7));
    assertHolds(store, ID, bytes(10, 7));
    assertTrue(store.remove(ID));
    assertFalse(stock.contains(ID));
  }

  @Test
  void whatIsReadAfterItWasRemovedFailsInsteadOfGivingAnotherBlock() throws IOException {
    open(false);
    put(store, ID, bytes(200_000, 8));
    BlockData data = store.getBytes(ID);
    try (InputStream stream = data.toInputStream()) {
      stream.read();
      store.remove(ID);
      assertThrows(IOException.class, stream::readAllBytes);
    }
    assertThrows(UncheckedIOException.class, data::toByteBuffer);
  }

  @Test
  void whatOutlivesThePoolFailsInsteadOfReadingMemoryThatIsGone() throws IOException {
    open(false);
    put(store, ID, bytes(10, 9));
    BlockData data = store.getBytes(ID);
    store.close();
    assertThrows(UncheckedIOException.class, data::toByteBuffer);
    assertFalse(store.contains(ID));
    put(store, ID, bytes(10, 10));
    assertTrue(stock.contains(ID));
  }

  @Test
  void withoutAPoolAllBlocksGoToFiles() throws IOException {
    open(false, conf().set("spark.sluice.pool.dir", "/proc/none"));
    put(store, ID, bytes(10, 11));
    assertHolds(store, ID, bytes(10, 11));
    assertTrue(stock.contains(ID));
    assertEquals(Map.of("a pool that could not be opened", 1L), fallbacks.counts());
  }
}
