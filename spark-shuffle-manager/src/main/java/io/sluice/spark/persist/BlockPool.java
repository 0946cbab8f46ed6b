package io.sluice.spark.persist;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.conf.ApplicationId;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.PoolSize;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.ProcessDirectory;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreStats.TierStats;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool in which one executor keeps persisted blocks. Unlike the pool of map outputs, it serves
 * no other process and has no disk tier. Spark writes blocks that do not fit into files.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link SluiceDiskStore} closes it, which
 * frees everything in it; later reads fail and touch no memory. Failure: {@link #open} throws and
 * leaves nothing behind.
 */
final class BlockPool implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockPool.class);

  /** Application of all leases; the store has only this user. */
  private static final String OWNER = "persisted";

  private final ProcessDirectory home;
  private final SpillStore store;
  private final Medium medium;
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private boolean closed;

  private BlockPool(ProcessDirectory home, SpillStore store, Medium medium) {
    this.home = home;
    this.store = store;
    this.medium = medium;
  }

  /** Opens an executor's pool. */
  static BlockPool open(SparkConf conf, String executorId) throws IOException {
    UnaryOperator<String> settings = SparkSettings.of(conf);
    Path base = Path.of(SparkSettings.POOL_DIR.get(settings));
    PoolSize size = PoolSize.ofBlocks(conf, base);
    ProcessDirectory home =
        ProcessDirectory.create(
            base,
            ExecutorPool.DIRECTORY,
            ApplicationId.of(conf) + "-" + executorId + "-" + OWNER,
            SparkSettings.POOL_DIR.name());
    try {
      MediumChooser.Choice choice =
          MediumChooser.choose(SparkSettings.POOL_MEDIUM.get(settings), home.directory());
      LOG.info(
          "Sluice keeps persisted blocks in {} (memory {}): {}",
          home.directory(),
          size.reason(),
          choice.reason());
      SpillStore store =
          SpillStore.open(
              StoreConfig.builder(home.directory().resolve("pool"), size.capacityBytes())
                  .geometry(size.segmentBytes(), StoreConfig.DEFAULT_BLOCK_BYTES)
                  .use(PoolVisibility.PRIVATE)
                  .medium(choice.medium())
                  .build());
      return new BlockPool(home, store, choice.medium());
    } catch (Throwable e) {
      Closer.after(e, home);
      throw e;
    }
  }

  /** Begins a block; the caller closes the writer. */
  BlockWriter newBlock() throws IOException {
    return new BlockWriter(store.openLease(OWNER), medium);
  }

  /** How full it is. */
  TierStats stats() {
    return store.stats().memory();
  }

  /** Reads a block from its first byte to its last; the caller closes the channel. */
  ReadableByteChannel open(StoredBytes bytes) {
    return new StoredChannel(bytes);
  }

  /** Frees the bytes of a block; later reads fail. */
  void free(StoredBytes bytes) throws IOException {
    lock.writeLock().lock();
    try {
      bytes.freed = true;
      bytes.lease.close();
    } finally {
      lock.writeLock().unlock();
    }
  }

  @Override
  public void close() throws IOException {
    lock.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      try (home) {
        store.close();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * The bytes of one block in the pool.
   *
   * <p>Thread contract: the pool guards {@code freed}. Ownership: the lease holds the bytes; {@link
   * #free} closes it.
   */
  static final class StoredBytes {
    private final Lease lease;
    private final List<Range> ranges;
    private boolean freed;

    /** {@code ranges} are the bytes, in order. */
    StoredBytes(Lease lease, List<Range> ranges) {
      this.lease = lease;
      this.ranges = List.copyOf(ranges);
    }
  }

  /**
   * Copies the bytes of a block, so a read after the pool was closed fails instead of touching
   * unmapped memory.
   *
   * <p>Thread contract: one thread. It owns nothing.
   */
  private final class StoredChannel implements ReadableByteChannel {
    private final StoredBytes bytes;
    private int rangeIndex;
    private long offsetBytes;
    private boolean open = true;

    StoredChannel(StoredBytes bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
      if (rangeIndex == bytes.ranges.size()) {
        return -1;
      }
      Range range = bytes.ranges.get(rangeIndex);
      int n = (int) Math.min(destination.remaining(), range.lengthBytes() - offsetBytes);
      copy(range, destination.slice(destination.position(), n));
      destination.position(destination.position() + n);
      offsetBytes += n;
      if (offsetBytes == range.lengthBytes()) {
        rangeIndex++;
        offsetBytes = 0;
      }
      return n;
    }

    private void copy(Range range, ByteBuffer destination) throws IOException {
      lock.readLock().lock();
      try {
        if (closed) {
          throw new IOException("the pool of persisted blocks is closed");
        }
        if (bytes.freed) {
          throw new IOException("the block in " + range + " has been removed");
        }
        SegmentHandle segment =
            store
                .segment(range.segmentId())
                .orElseThrow(() -> new IOException(range + " has been removed"));
        segment.copyTo(range.offsetBytes() + offsetBytes, destination);
      } finally {
        lock.readLock().unlock();
      }
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      open = false;
    }
  }
}
