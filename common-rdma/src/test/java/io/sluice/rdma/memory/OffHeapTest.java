package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OffHeapTest {
  @Test
  void countsWhatIsAllocatedAndFreed() {
    long before = OffHeap.allocatedBytes();
    ByteBuffer buffer = OffHeap.allocate(4096);
    assertEquals(before + 4096, OffHeap.allocatedBytes());
    OffHeap.free(buffer);
    assertEquals(before, OffHeap.allocatedBytes());
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
