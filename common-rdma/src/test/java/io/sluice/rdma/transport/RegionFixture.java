package io.sluice.rdma.transport;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.memory.SharedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** A file of seeded random bytes and its mapping, as a segment of the pool is. */
public final class RegionFixture implements AutoCloseable {
  private final Path path;
  private final SharedFile file;
  private final MappedByteBuffer mapping;
  private final byte[] content;

  /** Writes and maps a file of {@code lengthBytes} in {@code dir}. */
  public RegionFixture(Path dir, int lengthBytes, long seed) throws IOException {
    path = Files.createTempFile(dir, "region", null);
    content = new byte[lengthBytes];
    new Random(seed).nextBytes(content);
    Files.write(path, content);
    file = SharedFile.open(path);
    try (FileChannel mapped =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      mapping = OffHeap.map(mapped, FileChannel.MapMode.READ_WRITE, 0, lengthBytes);
    }
  }

  /** Mapping and file, for every provider. */
  public MemoryRegion region() {
    return MemoryRegion.ofMappedFile(mapping, file, content.length);
  }

  public SharedFile file() {
    return file;
  }

  public MappedByteBuffer mapping() {
    return mapping;
  }

  /** Where the content first differs from {@code bytes}, or -1. */
  public int mismatch(int offset, ByteBuffer bytes) {
    return bytes.mismatch(ByteBuffer.wrap(content, offset, bytes.remaining()));
  }

  @Override
  public void close() throws IOException {
    OffHeap.unmap(mapping);
    file.close();
    Files.delete(path);
  }
}
