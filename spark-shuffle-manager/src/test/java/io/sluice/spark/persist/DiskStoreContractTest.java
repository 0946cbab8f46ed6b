package io.sluice.spark.persist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.FileRegion;
import io.sluice.spark.persist.StoredBlock.Cipher;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.security.CryptoStreamUtils;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.DiskBlockManager;
import org.apache.spark.storage.DiskStore;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Function1;
import scala.Option;
import scala.runtime.BoxedUnit;

/**
 * The contract of a disk store with Spark's block manager. Spark's own store is the oracle and runs
 * through the same suite.
 */
abstract class DiskStoreContractTest {
  static final BlockId ID = new RDDBlockId(1, 1);
  static final BlockId OTHER = new RDDBlockId(1, 10);

  @TempDir Path directory;
  private DiskBlockManager files;
  private SparkConf conf;
  private SecurityManager security;

  abstract DiskStore open(SparkConf conf, DiskBlockManager files, SecurityManager security)
      throws IOException;

  /** Called with every block removed. */
  abstract void close() throws IOException;

  DiskStore open(boolean encrypted) throws IOException {
    return open(encrypted, conf());
  }

  SparkConf conf() {
    return new SparkConf(false)
        .set("spark.local.dir", directory.resolve("local").toString())
        .set("spark.app.id", "app-1");
  }

  DiskStore open(boolean encrypted, SparkConf with) throws IOException {
    conf = with.set("spark.io.encryption.enabled", Boolean.toString(encrypted));
    Files.createDirectories(directory.resolve("local"));
    Option<byte[]> key =
        encrypted ? Option.apply(CryptoStreamUtils.createKey(conf)) : Option.empty();
    security = new SecurityManager(conf, key, package$.MODULE$.AUTH_SECRET_FILE());
    files = new DiskBlockManager(conf, true, true);
    return open(conf, files, security);
  }

  @AfterEach
  void end() throws IOException {
    close();
    if (files != null) {
      files.stop();
    }
  }

  static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  static void put(DiskStore store, BlockId id, byte[] bytes) {
    store.put(id, writer(bytes, 10_007));
  }

  /** Writes in parts. */
  static Function1<WritableByteChannel, BoxedUnit> writer(byte[] bytes, int partBytes) {
    return channel -> {
      try {
        for (int at = 0; at < bytes.length; at += partBytes) {
          ByteBuffer part = ByteBuffer.wrap(bytes, at, Math.min(partBytes, bytes.length - at));
          while (part.hasRemaining()) {
            channel.write(part);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return BoxedUnit.UNIT;
    };
  }

  static void assertHolds(DiskStore store, BlockId id, byte[] expected) throws IOException {
    assertTrue(store.contains(id));
    assertEquals(expected.length, store.getSize(id));
    BlockData data = store.getBytes(id);
    assertEquals(expected.length, data.size());
    try (InputStream stream = data.toInputStream()) {
      assertArrayEquals(expected, stream.readAllBytes());
    }
    assertEquals(ByteBuffer.wrap(expected), data.toByteBuffer());
    ChunkedByteBuffer chunked =
        data.toChunkedByteBuffer(length -> ByteBuffer.allocate((int) length));
    assertArrayEquals(expected, chunked.toArray());
    assertArrayEquals(expected, sent((FileRegion) data.toNetty()));
    data.dispose();
  }

  private static byte[] sent(FileRegion region) throws IOException {
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    while (region.transferred() < region.count()) {
      region.transferTo(Channels.newChannel(received), region.transferred());
    }
    region.release();
    return received.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void givesBackWhatWasPut(boolean encrypted) throws IOException {
    DiskStore store = open(encrypted);
    byte[] bytes = bytes(3_000_000, 1);
    assertFalse(store.contains(ID));
    put(store, ID, bytes);
    put(store, OTHER, bytes(5, 2));
    assertHolds(store, ID, bytes);
    assertHolds(store, OTHER, bytes(5, 2));
    assertTrue(store.remove(ID));
    assertFalse(store.contains(ID));
    assertEquals(0, store.getSize(ID));
    assertFalse(store.remove(ID));
    assertHolds(store, OTHER, bytes(5, 2));
    store.remove(OTHER);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBlockMayBeEmpty(boolean encrypted) throws IOException {
    DiskStore store = open(encrypted);
    put(store, ID, new byte[0]);
    assertTrue(store.contains(ID));
    assertEquals(0, store.getSize(ID));
    assertEquals(0, store.getBytes(ID).toByteBuffer().remaining());
    assertEquals(0, store.getBytes(ID).toInputStream().readAllBytes().length);
    assertTrue(store.remove(ID));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void putsBuffersOfSeveralChunks(boolean encrypted) throws IOException {
    DiskStore store = open(encrypted);
    byte[] bytes = bytes(100_000, 3);
    store.putBytes(
        ID,
        new ChunkedByteBuffer(
            new ByteBuffer[] {
              ByteBuffer.wrap(bytes, 0, 70_000).slice(),
              ByteBuffer.wrap(bytes, 70_000, 30_000).slice()
            }));
    assertHolds(store, ID, bytes);
    store.remove(ID);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void puttingAgainReplaces(boolean encrypted) throws IOException {
    DiskStore store = open(encrypted);
    put(store, ID, bytes(200_000, 4));
    put(store, ID, bytes(100, 5));
    assertHolds(store, ID, bytes(100, 5));
    store.remove(ID);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ofABlockWhoseWriterFailsNothingStays(boolean encrypted) throws IOException {
    DiskStore store = open(encrypted);
    Function1<WritableByteChannel, BoxedUnit> failing =
        channel -> {
          writer(bytes(300_000, 6), 50_000).apply(channel);
          throw new IllegalStateException("no more");
        };
    assertEquals(
        "no more",
        assertThrows(IllegalStateException.class, () -> store.put(ID, failing)).getMessage());
    assertFalse(store.contains(ID));
    assertEquals(0, store.getSize(ID));
    assertFalse(store.remove(ID));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void takesAFileAsABlock(boolean encrypted) throws IOException {
    DiskStore store = open(encrypted);
    byte[] bytes = bytes(400_000, 7);
    File source = file(bytes);
    store.moveFileToBlock(source, bytes.length, ID);
    assertFalse(source.exists());
    assertHolds(store, ID, bytes);
    File another = file(bytes(3, 8));
    assertThrows(IllegalArgumentException.class, () -> store.moveFileToBlock(another, 3, ID));
    assertTrue(another.delete());
    store.remove(ID);
  }

  /** As Spark has received it from another executor: encrypted already. */
  File file(byte[] bytes) throws IOException {
    File file = files.createTempLocalBlock()._2();
    try (WritableByteChannel out =
        Cipher.of(conf, security)
            .encrypt(Channels.newChannel(Files.newOutputStream(file.toPath())))) {
      out.write(ByteBuffer.wrap(bytes));
    }
    return file;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readsAFileThatIsNoBlockYet(boolean encrypted) throws IOException {
    DiskStore store = open(encrypted);
    byte[] bytes = bytes(1_000, 9);
    File source = file(bytes);
    BlockData data = store.getBytes(source, bytes.length);
    assertEquals(ByteBuffer.wrap(bytes), data.toByteBuffer());
    assertTrue(source.delete());
  }

  /** Two GiB in small: no buffer may be larger than the limit. */
  @Test
  void aBlockBeyondTheLimitOfABufferComesInChunks() throws IOException {
    DiskStore store = open(false, conf().set("spark.storage.memoryMapLimitForTests", "10000"));
    byte[] bytes = bytes(25_000, 10);
    put(store, ID, bytes);
    BlockData data = store.getBytes(ID);
    ChunkedByteBuffer chunked =
        data.toChunkedByteBuffer(length -> ByteBuffer.allocate((int) length));
    assertEquals(3, chunked.getChunks().length);
    assertArrayEquals(bytes, chunked.toArray());
    assertThrows(IllegalArgumentException.class, data::toByteBuffer);
    assertArrayEquals(bytes, sent((FileRegion) data.toNetty()));
    store.remove(ID);
  }
}
