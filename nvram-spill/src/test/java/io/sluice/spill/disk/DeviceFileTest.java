package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.disk.BufferSet.NoBufferException;
import io.sluice.spill.disk.DiskRequest.DiskStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** On the file system of the temporary directory, with direct I/O where that has it. */
@Timeout(300)
class DeviceFileTest {
  private static final DiskStream STREAM = new DiskStream("user", "application", 1);
  private static final int FILE_BYTES = 4 << 20;

  private final long allocatedBefore = OffHeap.allocatedBytes();

  private final AtomicLong clockNs = new AtomicLong(); // of what is read ahead

  @TempDir private Path directory;
  private Device device;
  private SharedFile shared;
  private DeviceFile file;

  @BeforeEach
  void open() throws IOException {
    device = new Device("a device", 30_000, clockNs::get);
    shared = SharedFile.open(Files.createFile(directory.resolve("file")));
    shared.setLength(FILE_BYTES);
    file = new DeviceFile(device, shared, STREAM, () -> {});
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    file.close();
    shared.close();
    device.close();
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
  }

  private void write(long offsetBytes, byte[] bytes) throws IOException {
    try (DeviceFile.Write write = file.beginWrite(IoClass.WRITE_SORT, offsetBytes, bytes.length)) {
      write.bytes().put(bytes);
      write.run();
    }
  }

  private byte[] read(long offsetBytes, int lengthBytes) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    try (LentBytes piece = file.read(IoClass.READ_SEND, offsetBytes, lengthBytes)) {
      piece.bytes().get(bytes);
    }
    return bytes;
  }

  /** Pages in part, through the cache, beside whole ones past it, read in both ways. */
  @Test
  void whateverIsWrittenIsReadWhereverItBeginsAndEnds() throws Exception {
    Random random = TestSeed.random();
    byte[] expected = new byte[FILE_BYTES];
    for (int i = 0; i < 300; i++) {
      int lengthBytes = 1 + random.nextInt(random.nextBoolean() ? 10_000 : Device.UNIT_BYTES);
      int offsetBytes = random.nextInt(FILE_BYTES - lengthBytes + 1);
      if (random.nextInt(3) == 0) {
        byte[] bytes = new byte[lengthBytes];
        random.nextBytes(bytes);
        write(offsetBytes, bytes);
        System.arraycopy(bytes, 0, expected, offsetBytes, lengthBytes);
      } else {
        byte[] wanted = new byte[lengthBytes];
        System.arraycopy(expected, offsetBytes, wanted, 0, lengthBytes);
        assertArrayEquals(wanted, read(offsetBytes, lengthBytes));
        ByteBuffer cached = ByteBuffer.allocate(lengthBytes);
        shared.read(offsetBytes, cached);
        assertArrayEquals(wanted, cached.array());
      }
    }
    file.force(IoClass.WRITE_SORT);
    assertArrayEquals(expected, Files.readAllBytes(shared.path()));
  }

  /** The answer is in a list of all that is mounted. */
  @Test
  void aDeviceIsAskedOnceWhetherItTakesDirectIo() throws Exception {
    boolean direct = device.takesDirect(shared.path());
    assertEquals(direct, device.takesDirect(directory.resolve("a file that is not there")));
  }

  @Test
  void aUnitIsTheMostAtATime() throws Exception {
    try (LentBytes piece = file.read(IoClass.READ_SEND, 1, 2 * Device.UNIT_BYTES)) {
      assertEquals(Device.UNIT_BYTES, piece.bytes().remaining());
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> file.beginWrite(IoClass.WRITE_SORT, 0, Device.UNIT_BYTES + 1));
  }

  @Test
  void whatIsWrittenBehindAGapIsNotCountedOn() throws Exception {
    file.beginWrite(IoClass.WRITE_SORT, 0, 100).close();
    assertEquals(0, file.writtenBytes());
    write(0, new byte[100]);
    write(5000, new byte[100]);
    assertEquals(100, file.writtenBytes());
    write(50, new byte[8000]);
    write(20, new byte[10]);
    assertEquals(8050, file.writtenBytes());
  }

  @Test
  void whatIsNotWrittenAfterAllGivesItsMemoryBack() throws Exception {
    for (int i = 0; i < 20; i++) {
      file.beginWrite(IoClass.WRITE_SORT, 0, 100).close();
    }
    assertArrayEquals(new byte[100], read(0, 100));
  }

  @Test
  void aFileThatWasCutIsAnErrorAndGivesItsMemoryBack() throws Exception {
    shared.setLength(8192);
    for (int i = 0; i < 20; i++) {
      assertTrue(
          assertThrows(IOException.class, () -> read(4096, 8192)).getCause()
              instanceof EOFException);
    }
  }

  @Test
  void afterItIsClosedNothingBegins() throws Exception {
    byte[] before = read(0, 10);
    assertArrayEquals(new byte[10], before);
    try (LentBytes piece = file.read(IoClass.READ_SEND, 0, 10)) {
      file.close();
      assertEquals(0, piece.bytes().get()); // what was lent stays
    }
    assertThrows(ClosedChannelException.class, () -> read(0, 10));
  }

  /** A unit at each worker, which ends when the gate is opened. */
  private void occupy(CountDownLatch gate) {
    for (int i = 0; i < DeviceQueue.DEPTH; i++) {
      device
          .queue()
          .submit(new DiskRequest(IoClass.READ_SEND, STREAM, 1, unit -> pass(gate), () -> {}));
    }
  }

  private static void pass(CountDownLatch gate) throws IOException {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void whatNobodyWantsAnyMoreIsNotReadAhead() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    occupy(gate);
    file.readAhead(0, 4096).orElseThrow().close();
    assertEquals(4, device.aheads().available()); // although nothing can be read yet
    gate.countDown();
    assertArrayEquals(new byte[10], read(0, 10)); // it comes behind all that was queued
    assertNull(device.meter().counts().get(IoClass.READ_AHEAD));
  }

  @Test
  void whatSomebodyWaitsForIsReadAlthoughItIsGivenUp() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    occupy(gate);
    ReadAhead.Piece piece = file.readAhead(0, 4096).orElseThrow();
    try (LentBytes part = piece.part(0, 10)) {
      piece.close();
      gate.countDown();
      piece.await();
      assertEquals(10, part.bytes().remaining());
    }
    assertEquals(4096, device.meter().counts().get(IoClass.READ_AHEAD).bytes());
  }

  /** Readers that have fetched a part and pause have all buffers for what is read ahead. */
  private List<DeviceFile> pausedReaders() throws IOException {
    List<DeviceFile> files = new ArrayList<>();
    for (int i = 0; device.aheads().available() > 0; i++) {
      DeviceFile of =
          new DeviceFile(device, shared, new DiskStream("user", "application", i), () -> {});
      files.add(of);
      DeviceFile.plan(List.of(of.plannedRange(0, FILE_BYTES)));
      of.read(IoClass.READ_SEND, 0, 4096).close();
    }
    return files;
  }

  @Test
  void aCopyGetsTheBuffersOfReadersThatPause() throws Exception {
    List<DeviceFile> paused = pausedReaders();
    clockNs.addAndGet(ReadAhead.STALE_NS + 1);
    file.beginWrite(IoClass.COPY, 0, 100).close();
    while (device.aheads().available() < paused.size()) { // the device had begun to read some
      Thread.onSpinWait();
    }
    for (DeviceFile each : paused) {
      each.close();
    }
  }

  @Test
  void aCopyThatWaitsGetsTheBuffersOfReadersAsSoonAsTheyPauseForLong() throws Exception {
    List<DeviceFile> paused = pausedReaders();
    clockNs.addAndGet(ReadAhead.STALE_NS); // and the copy looks again each millisecond
    CompletableFuture<Void> copy =
        CompletableFuture.runAsync(
            () -> {
              try {
                file.beginWrite(IoClass.COPY, 0, 100).close();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    while (device.aheads().waiting() == 0) {
      Thread.onSpinWait();
    }
    clockNs.addAndGet(1);
    copy.get(120, TimeUnit.SECONDS);
    for (DeviceFile each : paused) {
      each.close();
    }
  }

  @Test
  void aDeviceWithoutAFreeBufferSaysSo() throws Exception {
    try (Device hasty = new Device("a hasty device", 1);
        DeviceFile busy = new DeviceFile(hasty, shared, STREAM, () -> {});
        DeviceFile.Write one = busy.beginWrite(IoClass.COPY, 0, 1);
        DeviceFile.Write two = busy.beginWrite(IoClass.COPY, 1, 1)) {
      assertTrue(one.bytes().hasRemaining() && two.bytes().hasRemaining());
      assertThrows(NoBufferException.class, () -> busy.beginWrite(IoClass.COPY, 2, 1));
    }
  }

  /** The device keeps the memory for as long as it may write to it. */
  @Test
  void aDeviceThatHangsFailsTheReadAndKeepsItsMemory() throws Exception {
    try (Device hasty = new Device("a hasty device", 50);
        DeviceFile hanging = new DeviceFile(hasty, shared, STREAM, () -> {})) {
      int before = hasty.writes().available();
      IOException failure;
      synchronized (shared) { // the first page is written in part, through this
        DeviceFile.Write write = hanging.beginWrite(IoClass.WRITE_SORT, 1, 100);
        write.bytes().put(new byte[100]);
        failure = assertThrows(IOException.class, () -> write.run());
        write.close();
        assertEquals(before - 1, hasty.writes().available());
      }
      assertTrue(failure.getMessage().contains("has not answered"), failure.toString());
      while (hasty.writes().available() < before) {
        Thread.onSpinWait();
      }
    }
  }
}
