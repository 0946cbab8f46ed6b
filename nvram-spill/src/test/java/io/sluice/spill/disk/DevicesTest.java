package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicesTest {
  @TempDir private Path directory;

  /** Run in a JVM with so little direct memory as it is told. */
  public static final class Little {
    private Little() {}

    public static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      try (Devices devices = new Devices(1_000)) {
        devices.of(directory);
        System.out.println("has " + OffHeap.allocatedBytes());
      } catch (IOException e) {
        System.out.println(e.getMessage());
      }
      System.out.println("leaves " + OffHeap.allocatedBytes());
    }
  }

  @Test
  void aDeviceHasFewerBuffersWhereMemoryIsShort() throws Exception {
    assertSays("32m", "has " + Device.MEMORY_BYTES);
    assertSays("10m", "has " + Device.LEAST_MEMORY_BYTES);
    assertSays("4m", "raise -XX:MaxDirectMemorySize or -Xmx");
  }

  private void assertSays(String limit, String expected) throws Exception {
    Path log = directory.resolve("log");
    Process little =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:MaxDirectMemorySize=" + limit,
                "-cp",
                System.getProperty("java.class.path"),
                Little.class.getName(),
                directory.toString())
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(little.waitFor(60, TimeUnit.SECONDS));
      String said = Files.readString(log);
      assertTrue(said.contains(expected), said);
      assertTrue(said.contains("leaves 0"), said);
    } finally {
      little.destroyForcibly();
    }
  }

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
