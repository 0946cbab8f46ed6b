package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.conf.ApplicationSecret;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two attempts that commit an output of the same name: what is read is all of one of them. */
class ReplacedOutputTest {
  private static final int SHUFFLE = 4;
  private static final long MAP = 17;
  private static final int LENGTH_BYTES = 200_000;
  private static final int REPLACEMENTS = 500;

  @TempDir private Path base;
  private ExecutorPool pool;

  @BeforeEach
  void open() throws IOException {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", base.toString())
            .set("spark.sluice.pool.capacity", "8m")
            .set("spark.sluice.pool.segmentSize", "1m");
    ApplicationSecret.create(conf);
    pool =
        ExecutorPool.open(
            conf, new ExecutorTransports(conf), null, "app-1", "7", List.of(base.resolve("local")));
  }

  @AfterEach
  void close() throws IOException {
    pool.close();
  }

  /** The bytes of an attempt, all alike. */
  private static byte[] bytes(int attempt) {
    byte[] bytes = new byte[LENGTH_BYTES];
    Arrays.fill(bytes, (byte) attempt);
    return bytes;
  }

  private MapOutput write(int attempt) throws IOException {
    MapOutput output = pool.newOutput(pool.begin(SHUFFLE), MAP, 1);
    output.append(0, ByteBuffer.wrap(bytes(attempt)), 1);
    return output;
  }

  private ExecutorBlock block() throws IOException {
    return pool.block(SHUFFLE, MAP, 0, 1).orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theAttemptThatCommitsLastCounts(boolean olderFirst) throws IOException {
    try (MapOutput older = write(1);
        MapOutput newer = write(2)) {
      (olderFirst ? older : newer).commit();
      (olderFirst ? newer : older).commit();
    }
    assertArrayEquals(bytes(olderFirst ? 2 : 1), block().nioByteBuffer().array());
    assertEquals(1, pool.stats().outputs());
    long oneBytes = pool.stats().memory().usedBytes();
    assertTrue(oneBytes < 2 * LENGTH_BYTES, oneBytes + " bytes are used");
  }

  @Test
  void whatIsMovedHereReplacesToo() throws IOException {
    try (MapOutput here = write(1)) {
      here.commit();
    }
    try (ReceivedOutput moved = pool.newReceivedOutput(SHUFFLE, MAP)) {
      moved.write(ByteBuffer.wrap(bytes(2)));
      moved.commit(new long[] {LENGTH_BYTES});
    }
    assertArrayEquals(bytes(2), block().nioByteBuffer().array());
    assertEquals(1, pool.stats().outputs());
  }

  @Test
  void aBlockOfTheFormerOutputFails() throws IOException {
    try (MapOutput first = write(1);
        MapOutput second = write(2)) {
      first.commit();
      ExecutorBlock former = block();
      try (InputStream half = former.createInputStream()) {
        assertEquals(1000, half.readNBytes(1000).length);
        second.commit();
        assertThrows(IOException.class, half::readAllBytes);
      }
      assertThrows(IOException.class, former::nioByteBuffer);
    }
  }

  @Test
  void aBlockOfAFreedShuffleFails() throws IOException {
    try (MapOutput output = write(1)) {
      output.commit();
    }
    ExecutorBlock freed = block();
    pool.free(SHUFFLE);
    assertThrows(IOException.class, freed::nioByteBuffer);
  }

  /** Freed blocks are written again at once here, by the next attempt. */
  @Test
  void aReaderSeesOneAttemptWholeOrFails() throws IOException {
    try (MapOutput first = write(0)) {
      first.commit();
    }
    CompletableFuture<Void> replacing =
        CompletableFuture.runAsync(
            () -> {
              for (int attempt = 1; attempt <= REPLACEMENTS; attempt++) {
                try (MapOutput next = write(attempt)) {
                  next.commit();
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              }
            });
    while (!replacing.isDone()) {
      ExecutorBlock block = block(); // an output is there at any time
      byte[] read;
      try {
        read = block.nioByteBuffer().array();
      } catch (IOException replaced) {
        assertTrue(replaced.getMessage().contains("replaced"), replaced.toString());
        continue;
      }
      assertArrayEquals(bytes(read[0]), read);
    }
    replacing.join();
    assertArrayEquals(bytes(REPLACEMENTS), block().nioByteBuffer().array());
  }
}
