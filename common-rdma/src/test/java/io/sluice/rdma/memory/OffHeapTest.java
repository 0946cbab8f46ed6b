package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OffHeapTest {
  private static final int PIECE_BYTES = 256 << 10;

  @Test
  void countsWhatIsAllocatedAndFreed() {
    long before = OffHeap.allocatedBytes();
    ByteBuffer buffer = OffHeap.allocate(4096);
    assertEquals(before + 4096, OffHeap.allocatedBytes());
    OffHeap.free(buffer);
    assertEquals(before, OffHeap.allocatedBytes());
  }

  /** Run in a JVM that allows 8 MiB. */
  public static final class Full {
    private Full() {}

    public static void main(String[] arguments) {
      check(DirectMemory.limitBytes() == 8 << 20, "limit " + DirectMemory.limitBytes());
      long kept = DirectMemory.limitBytes() - DirectMemory.headRoomBytes();
      List<ByteBuffer> all = new ArrayList<>();
      for (ByteBuffer next = take(); next != null; next = take()) {
        all.add(next);
      }
      check(DirectMemory.usedBytes() >= OffHeap.allocatedBytes(), "not all is counted");
      check(DirectMemory.usedBytes() <= kept, DirectMemory.usedBytes() + " bytes are used");
      check(DirectMemory.usedBytes() > kept - PIECE_BYTES, "there was room for more");
      ByteBuffer others = ByteBuffer.allocateDirect((int) DirectMemory.headRoomBytes());
      check(take() == null, "nothing is left for others");
      OffHeap.free(all.remove(0));
      check(take() == null, "others have more than their part: " + others);
      all.forEach(OffHeap::free);
      check(OffHeap.allocatedBytes() == 0, "a refusal is counted");
    }

    private static ByteBuffer take() {
      return OffHeap.tryAllocate(PIECE_BYTES);
    }

    private static void check(boolean holds, String message) {
      if (!holds) {
        throw new AssertionError(message);
      }
    }
  }

  /** Run in a JVM that allows 8 MiB; ends when there is room again. */
  public static final class Garbage {
    private Garbage() {}

    public static void main(String[] arguments) {
      long kept = DirectMemory.limitBytes() - DirectMemory.headRoomBytes();
      while (DirectMemory.usedBytes() + PIECE_BYTES <= kept) {
        ByteBuffer.allocateDirect(PIECE_BYTES);
      }
      ByteBuffer taken = null;
      while (taken == null) {
        taken = OffHeap.tryAllocate(PIECE_BYTES);
      }
      OffHeap.free(taken);
    }
  }

  @Test
  void leavesHeadRoomToOthers() throws Exception {
    runWithLittle(Full.class);
  }

  @Test
  void garbageOfOthersIsCollected() throws Exception {
    runWithLittle(Garbage.class);
  }

  private static void runWithLittle(Class<?> main) throws Exception {
    Process full =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:MaxDirectMemorySize=8m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName())
            .inheritIO()
            .start();
    try {
      assertTrue(full.waitFor(120, TimeUnit.SECONDS));
      assertEquals(0, full.exitValue());
    } finally {
      full.destroyForcibly();
    }
  }

  @Test
  void refusesToFreeASliceAndKeepsTheCount() {
    ByteBuffer buffer = OffHeap.allocate(4096);
    long before = OffHeap.allocatedBytes();
    assertThrows(IllegalArgumentException.class, () -> OffHeap.free(buffer.slice(0, 8)));
    assertEquals(before, OffHeap.allocatedBytes());
    OffHeap.free(buffer);
  }

  @Test
  void mapsAFileSharedWithOtherMappings(@TempDir Path dir) throws Exception {
    long before = OffHeap.mappedBytes();
    Path file = dir.resolve("segment");
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MappedByteBuffer one = OffHeap.map(channel, FileChannel.MapMode.READ_WRITE, 0, 8192);
      MappedByteBuffer two = OffHeap.map(channel, FileChannel.MapMode.READ_ONLY, 4096, 4096);
      one.putLong(4096, 0x1122334455667788L);
      assertEquals(0x1122334455667788L, two.getLong(0));
      assertEquals(before + 12288, OffHeap.mappedBytes());
      OffHeap.unmap(one);
      OffHeap.unmap(two);
    }
    assertEquals(before, OffHeap.mappedBytes());
    assertEquals(8192, Files.size(file));
  }
}
