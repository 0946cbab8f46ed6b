package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.pool.PoolBlock.DamagedBlockException;
import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes in a pool of an application that encrypts. */
class EncryptedPoolTest {
  private static final byte[] CANARY =
      "a canary of 32 bytes, in a block".getBytes(StandardCharsets.US_ASCII);
  private static final int CHUNKS = 40;

  @TempDir private Path base;
  private final ShuffleKey key = new ShuffleKey(new byte[32], "app-1", 128);

  @AfterEach
  void close() {
    key.close();
  }

  private ExecutorPool open(ShuffleKey with) throws IOException {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", base.toString())
            .set("spark.sluice.pool.capacity", "1m")
            .set("spark.sluice.pool.segmentSize", "1m");
    ApplicationSecret.create(conf);
    return ExecutorPool.open(
        conf, new ExecutorTransports(conf), with, "app-1", "1", List.of(base.resolve("local")));
  }

  /** Some of it in the disk tier. */
  private static byte[] write(ExecutorPool pool) throws IOException {
    byte[] chunk = new byte[100_000];
    for (int at = 0; at + CANARY.length <= chunk.length; at += CANARY.length) {
      System.arraycopy(CANARY, 0, chunk, at, CANARY.length);
    }
    ByteBuffer all = ByteBuffer.allocate(CHUNKS * chunk.length);
    try (MapOutput output = pool.newOutput(pool.begin(0), 0, 2)) {
      for (int i = 0; i < CHUNKS; i++) {
        output.append(1, ByteBuffer.wrap(chunk), 1);
        all.put(chunk);
      }
      output.commit();
    }
    assertTrue(pool.stats().disk().usedBytes() > 0, "all of it found room in memory");
    return all.array();
  }

  private int canaries() throws IOException {
    String searched = new String(CANARY, StandardCharsets.ISO_8859_1);
    int found = 0;
    try (Stream<Path> files = Files.walk(base)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String bytes = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        for (int at = bytes.indexOf(searched); at >= 0; at = bytes.indexOf(searched, at + 1)) {
          found++;
        }
      }
    }
    return found;
  }

  @Test
  void noPlaintextLiesInEitherTierAndSparkGetsNothingElse() throws IOException {
    try (ExecutorPool pool = open(key)) {
      byte[] written = write(pool);
      assertEquals(0, canaries());
      ExecutorBlock block = pool.block(0, 0, 0, 2).orElseThrow();
      assertEquals(written.length, block.size());
      assertArrayEquals(written, block.nioByteBuffer().array());
      assertArrayEquals(new long[] {0, written.length}, pool.partitionLengths(0, 0).orElseThrow());
      assertEquals(written.length, key.stats().encryptedBytes());
      assertEquals(written.length, key.stats().decryptedBytes());
    }
  }

  @Test
  void otherwiseItWouldBeFound() throws IOException {
    try (ExecutorPool pool = open(null)) {
      write(pool);
      assertTrue(canaries() > CHUNKS * 3_000, canaries() + " found");
    }
  }

  @Test
  void whatNobodyEncryptedIsDamaged() throws IOException {
    try (ExecutorPool pool = open(key)) {
      try (MapOutput output = pool.newOutput(pool.begin(0), 0, 1)) {
        ByteBuffer forged = ByteBuffer.wrap(CANARY);
        TestChunks.append(output, forged, BlockChecksummer.sum(forged));
        output.commit();
      }
      ExecutorBlock block = pool.block(0, 0, 0, 1).orElseThrow();
      assertThrows(DamagedBlockException.class, block::convertToNetty);
      DamagedBlockException e =
          assertThrows(DamagedBlockException.class, () -> block.createInputStream().readNBytes(1));
      assertInstanceOf(ForgedRunException.class, e.getCause());
    }
  }
}
