package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.disk.DiskRequest.DiskStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectFileTest {
  private static final DiskStream STREAM = new DiskStream("user", "application", 1);

  @TempDir private Path directory;
  private Path path;

  @BeforeEach
  void makeFile() throws IOException {
    path = Files.createFile(directory.resolve("file"));
  }

  @Test
  void whatIsWrittenIsReadAndIsInTheFile() throws IOException {
    try (BufferSet buffers = new BufferSet(1, 8192, 1);
        BufferSet.Buffer buffer = buffers.tryAcquire(STREAM).orElseThrow();
        DirectFile file = DirectFile.open(path, true)) {
      ByteBuffer bytes = buffer.bytes();
      for (int i = 0; i < 8192; i++) {
        bytes.put(i, (byte) (i * 31));
      }
      file.write(buffer.bytes(), 4096);
      file.force();
      buffer.bytes().put(new byte[8192]);
      file.read(buffer.bytes().limit(4096), 8192);
      assertEquals((byte) (4096 * 31), buffer.bytes().get(0));
      assertEquals((byte) (5000 * 31), buffer.bytes().get(904));
    }
    byte[] all = Files.readAllBytes(path);
    assertEquals(12288, all.length);
    assertEquals((byte) (5000 * 31), all[4096 + 5000]);
  }

  @Test
  void directIoIsForBlocksThatFitOurAlignment() {
    assertTrue(DirectFile.takesAlignment(512));
    assertTrue(DirectFile.takesAlignment(4096));
    assertFalse(DirectFile.takesAlignment(64 << 10), "XFS may have those");
    assertFalse(DirectFile.takesAlignment(1 << 20), "NFS");
  }

  @Test
  void lessThanWasAskedForIsAnError() throws IOException {
    try (BufferSet buffers = new BufferSet(1, 4096, 1);
        BufferSet.Buffer buffer = buffers.tryAcquire(STREAM).orElseThrow();
        DirectFile file = DirectFile.open(path, true)) {
      String message =
          assertThrows(EOFException.class, () -> file.read(buffer.bytes(), 0)).getMessage();
      assertTrue(message.contains("ends at 0, expected 4096 more bytes"), message);
    }
  }

  @Test
  void aFileThatIsNotThereIsNotMade() {
    assertThrows(NoSuchFileException.class, () -> DirectFile.open(directory.resolve("none"), true));
  }

  @Test
  void directoriesOfOneDeviceShareAQueue() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    try (Devices devices = new Devices(1000)) {
      assertSame(devices.of(directory), devices.of(other));
    }
  }
}
