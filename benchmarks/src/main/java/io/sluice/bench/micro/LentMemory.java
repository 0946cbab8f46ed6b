package io.sluice.bench.micro;

import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.writer.PoolChunks;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A pool in tmpfs that lends memory, as a node's does but for the socket.
 *
 * <p>Ownership: the benchmark closes it, after a sort buffer that it lent to.
 *
 * @param directory of the pool
 * @param lease what it lends by
 * @param chunks what it lends a sort buffer
 */
record LentMemory(Path directory, SpillStore store, Lease lease, PoolChunks chunks)
    implements Closeable {
  /** All of it is there and was touched. */
  static LentMemory open(long lengthBytes) throws IOException {
    Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "sluice-bench-");
    int segmentBytes = StoreConfig.DEFAULT_BLOCK_BYTES * 64;
    long wholeBytes = (lengthBytes / segmentBytes + 1) * segmentBytes;
    SpillStore store =
        SpillStore.open(
            StoreConfig.builder(directory.resolve("pool"), wholeBytes)
                .geometry(segmentBytes, StoreConfig.DEFAULT_BLOCK_BYTES)
                .wholeAtStart(true)
                .build());
    Lease lease = store.openLease("benchmark");
    lease.release(lease.lease(wholeBytes)); // which waits for it
    WriteTarget target = WriteTarget.mapped(lease, new PlainMedium());
    return new LentMemory(directory, store, lease, new PoolChunks(lease, target.memory()));
  }

  @Override
  public void close() throws IOException {
    try (store;
        lease) {
      chunks.close();
    } finally {
      PrivateDirectory.delete(directory);
    }
  }
}
