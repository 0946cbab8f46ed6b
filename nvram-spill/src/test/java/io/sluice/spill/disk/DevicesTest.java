package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.memory.OffHeap;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicesTest {
  @TempDir private Path directory;

  /** A disk that hung makes its file when it answers, which may be after its store was closed. */
  @Test
  void noneIsOpenedOnceTheyAreClosed() throws IOException {
    long allocatedBefore = OffHeap.allocatedBytes();
    Devices devices = new Devices(1_000);
    assertSame(devices.of(directory), devices.of(directory));
    devices.close();
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
    assertThrows(IOException.class, () -> devices.of(directory));
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
  }
}
