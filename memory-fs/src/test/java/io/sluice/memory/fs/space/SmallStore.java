package io.sluice.memory.fs.space;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreStats;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** A store of a test in its directory, the space in it, and bytes to put there. */
public final class SmallStore implements Closeable {
  /** Unit of what is leased. */
  public static final int BLOCK_BYTES = 64 << 10;

  private static final int SEGMENT_BYTES = 1 << 20;

  private final SpillStore store;
  private final FileSpace space;

  /** So much memory, and so much room on disk behind it. */
  public SmallStore(Path directory, long memoryBytes, long diskBytes) throws IOException {
    Path disk = Files.createDirectories(directory.resolve("disk"));
    store =
        SpillStore.open(
            StoreConfig.builder(directory.resolve("pool"), memoryBytes)
                .use(PoolVisibility.PRIVATE)
                .geometry(SEGMENT_BYTES, BLOCK_BYTES)
                .disk(List.of(disk), diskBytes, 0)
                .build());
    space = new FileSpace(store);
  }

  /** All of it, for files. */
  public FileSpace space() {
    return space;
  }

  /** How full it is. */
  public StoreStats stats() {
    return store.stats();
  }

  /** Bytes that files have leased, in any tier. */
  public long usedBytes() {
    StoreStats stats = stats();
    return stats.memory().usedBytes() + stats.disk().usedBytes();
  }

  /** Random ones. */
  public static byte[] bytes(Random random, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    random.nextBytes(bytes);
    return bytes;
  }

  /** A new file with these, written in parts of random lengths. */
  FileContent write(Random random, byte[] bytes) throws IOException {
    FileContent content = new FileContent(space);
    append(content, random, bytes);
    return content;
  }

  /** The same at the end of a file. */
  static void append(FileContent content, Random random, byte[] bytes) throws IOException {
    try (ContentWriter writer = new ContentWriter(content)) {
      for (int from = 0; from < bytes.length; ) {
        int n = Math.min(bytes.length - from, 1 + random.nextInt(200_000));
        writer.write(bytes, from, n);
        from += n;
      }
    }
  }

  /** All of a file. */
  static byte[] read(FileContent content) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) content.lengthBytes());
    if (bytes.hasRemaining()) {
      assertEquals(bytes.capacity(), content.read(0, bytes));
    }
    return bytes.array();
  }

  @Override
  public void close() throws IOException {
    Closer.all(space, store);
  }
}
