package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.*;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedFileTest {
  private static final int THREADS = 4;
  private static final int ROUNDS = 2_000;
  private static final int RECORD_BYTES = 512;

  @TempDir Path dir;

  /** One way to open one; another test has the other. */
  SharedFile open(Path path) throws IOException {
    return SharedFile.open(path);
  }

  @AfterEach
  void clearFlag() {
    Thread.interrupted();
  }

  @Test
  void interruptedThreadDoesEverythingAndNobodyElseNotices() throws Exception {
    try (SharedFile file = open(Files.createFile(dir.resolve("shared")))) {
      Thread.currentThread().interrupt();
      file.setLength(100_000);
      file.write(10, ByteBuffer.wrap(new byte[] {1, 2, 3}));
      ByteBuffer direct = ByteBuffer.allocateDirect(90_000);
      assertEquals(90_000, file.read(10, direct));
      file.write(99_990, direct.clear().limit(10));
      file.force();
      assertEquals(100_000, file.lengthBytes());
      assertTrue(Thread.interrupted(), "the flag is not its to clear");

      ByteBuffer back = ByteBuffer.allocate(20);
      assertEquals(10, file.read(99_990, back), "it is open, and ends where it ends");
      assertEquals(1, back.get(0));
      assertEquals(0, file.read(200_000, back.clear()));
    }
  }

  @Test
  void interruptedSendEndsThatSendAlone() throws Exception {
    Path path = Files.write(dir.resolve("shared"), new byte[1000]);
    Path target = dir.resolve("target");
    try (SharedFile file = open(path)) {
      try (FileChannel to =
          FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        Thread.currentThread().interrupt();
        assertThrows(IOException.class, () -> file.send(0, 1000, to));
        assertTrue(Thread.interrupted());
      }
      try (FileChannel to = FileChannel.open(target, StandardOpenOption.WRITE)) {
        assertEquals(900, send(file, 100, to));
      }
    }
  }

  private static long send(SharedFile file, long fromBytes, WritableByteChannel to)
      throws IOException {
    long sentBytes = 0;
    long n;
    while ((n = file.send(fromBytes + sentBytes, 1000, to)) > 0) {
      sentBytes += n;
    }
    return sentBytes;
  }

  /** Each thread has a place of its own, and is interrupted all the time. */
  @Test
  void threadsThatAreKilledAllTheTimeReadWhatTheyWrote() throws Exception {
    long seed = TestSeed.next();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (SharedFile file = open(Files.createFile(dir.resolve("shared")))) {
      List<Future<?>> done = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int place = i;
        Callable<Void> killed = () -> useKilled(file, place, new Random(seed + place));
        done.add(threads.submit(killed));
      }
      for (Future<?> each : done) {
        get(each);
      }
    } finally {
      threads.shutdownNow();
      assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    }
  }

  private static void get(Future<?> future) throws Exception {
    try {
      future.get(120, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  private static Void useKilled(SharedFile file, int place, Random random) throws IOException {
    byte[] written = new byte[RECORD_BYTES];
    for (int i = 0; i < ROUNDS; i++) {
      if (random.nextBoolean()) {
        Thread.currentThread().interrupt();
      }
      random.nextBytes(written);
      boolean heap = random.nextBoolean();
      ByteBuffer buffer =
          heap ? ByteBuffer.allocate(RECORD_BYTES) : ByteBuffer.allocateDirect(RECORD_BYTES);
      file.write((long) place * RECORD_BYTES, buffer.put(written).flip());
      assertEquals(RECORD_BYTES, file.read((long) place * RECORD_BYTES, buffer.clear()));
      assertEquals(-1, buffer.flip().mismatch(ByteBuffer.wrap(written)));
      Thread.interrupted();
    }
    return null;
  }

  @Test
  void opensOnlyWhatIsAFile() throws IOException {
    assertThrows(NoSuchFileException.class, () -> open(dir.resolve("absent")));
    assertFalse(Files.exists(dir.resolve("absent")));
    Path link = Files.createSymbolicLink(dir.resolve("link"), Files.createFile(dir.resolve("to")));
    assertThrows(IOException.class, () -> open(link));
    assertThrows(IOException.class, () -> open(dir));
  }

  @Test
  void isOfNoUseOnceItIsClosed() throws IOException {
    SharedFile file = open(Files.createFile(dir.resolve("shared")));
    file.close();
    file.close();
    assertThrows(ClosedChannelException.class, () -> file.read(0, ByteBuffer.allocate(1)));
    assertThrows(ClosedChannelException.class, () -> file.write(0, ByteBuffer.allocate(1)));
    assertThrows(ClosedChannelException.class, () -> file.send(0, 1, null));
    assertThrows(ClosedChannelException.class, file::lengthBytes);
  }
}
