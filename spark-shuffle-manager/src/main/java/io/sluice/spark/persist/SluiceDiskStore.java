package io.sluice.spark.persist;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.metrics.Fallbacks;
import io.sluice.spark.persist.BlockPool.StoredBytes;
import io.sluice.spark.persist.StoredBlock.Cipher;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.store.StoreStats.TierStats;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.CountingWritableChannel;
import org.apache.spark.storage.DiskBlockManager;
import org.apache.spark.storage.DiskStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.runtime.BoxedUnit;

/**
 * Keeps blocks in a pool that Spark would keep in files: blocks persisted on disk, and blocks that
 * do not fit in memory. It replaces Spark's own store, and leaves to it the blocks that do not fit
 * into the pool.
 *
 * <p>Thread contract: as Spark's store, safe from any thread for different blocks; Spark locks each
 * block. The first block opens the pool. Ownership: {@link Persistence} closes it, and no block is
 * in the pool after that. Failure: a pool that cannot be opened, or is full, is counted and logged
 * once.
 */
public final class SluiceDiskStore extends DiskStore implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceDiskStore.class);
  private static final int COPY_BYTES = 64 << 10;

  private final SparkConf conf;
  private final DiskBlockManager files;
  private final Cipher cipher;
  private final DiskStore stock;
  private final String executorId;
  private final Map<BlockId, StoredBlock> blocks = new ConcurrentHashMap<>();
  private final Fallbacks fallbacks;
  private BlockPool pool;
  private boolean failed;
  private boolean closed;

  /**
   * Opens nothing yet.
   *
   * @param stock Spark's own store, with the blocks that it has
   * @param fallbacks counts the blocks that are left to it
   */
  SluiceDiskStore(
      SparkConf conf,
      DiskBlockManager files,
      SecurityManager security,
      DiskStore stock,
      String executorId,
      Fallbacks fallbacks) {
    super(conf, files, security);
    this.conf = conf;
    this.files = files;
    this.cipher = Cipher.of(conf, security);
    this.stock = stock;
    this.executorId = executorId;
    this.fallbacks = fallbacks;
  }

  /** How full the pool is; empty if it was not opened. */
  public synchronized Optional<TierStats> stats() {
    return Optional.ofNullable(closed ? null : pool).map(BlockPool::stats);
  }

  /** Number of blocks in the pool. */
  public int blockCount() {
    return blocks.size();
  }

  @Override
  public long getSize(BlockId id) {
    StoredBlock block = blocks.get(id);
    return block == null ? stock.getSize(id) : block.size();
  }

  @Override
  public boolean contains(BlockId id) {
    return blocks.containsKey(id) || stock.contains(id);
  }

  @Override
  public void put(BlockId id, Function1<WritableByteChannel, BoxedUnit> write) {
    Optional<BlockPool> opened = pool();
    if (opened.isEmpty()) {
      stock.put(id, write);
      return;
    }
    if (contains(id)) {
      LOG.warn("Block {} is present already, and is replaced", id);
      remove(id);
    }
    try {
      put(id, write, opened.get());
    } catch (IOException e) {
      throw new UncheckedIOException(id + " cannot be stored", e);
    }
  }

  private void put(BlockId id, Function1<WritableByteChannel, BoxedUnit> write, BlockPool into)
      throws IOException {
    BlockSink sink = new BlockSink(into, files);
    try {
      long size = write(write, cipher.encrypt(sink));
      Optional<StoredBytes> bytes = sink.finish();
      if (bytes.isPresent()) {
        blocks.put(id, new StoredBlock(into, bytes.get(), cipher, size));
      } else {
        fallbacks.add("the pool is full");
        stock.moveFileToBlock(sink.file(), size, id);
      }
    } catch (Throwable e) { // users' code and killed tasks throw checked ones
      Closer.after(e, sink::discard);
      throw e;
    }
  }

  /** Number of bytes written, before they were encrypted. */
  private static long write(
      Function1<WritableByteChannel, BoxedUnit> write, WritableByteChannel sink)
      throws IOException {
    try (CountingWritableChannel out = new CountingWritableChannel(sink)) {
      write.apply(out);
      return out.getCount();
    }
  }

  @Override
  public void moveFileToBlock(File source, long blockSize, BlockId id) {
    Optional<BlockPool> opened = pool();
    if (opened.isEmpty()) {
      stock.moveFileToBlock(source, blockSize, id);
      return;
    }
    if (contains(id)) {
      throw new IllegalArgumentException(id + " is present already, " + source + " is left alone");
    }
    try {
      Optional<StoredBytes> bytes = copy(source, opened.get());
      if (bytes.isPresent()) {
        Files.delete(source.toPath());
        blocks.put(id, new StoredBlock(opened.get(), bytes.get(), cipher, blockSize));
      } else {
        fallbacks.add("the pool is full");
        stock.moveFileToBlock(source, blockSize, id);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(source + " cannot be stored as " + id, e);
    }
  }

  /** Empty if the pool is full. */
  private static Optional<StoredBytes> copy(File source, BlockPool into) throws IOException {
    try (FileChannel in = new FileInputStream(source).getChannel();
        BlockWriter writer = into.newBlock()) {
      ByteBuffer buffer = ByteBuffer.allocate(COPY_BYTES);
      while (in.read(buffer.clear()) >= 0) {
        writer.write(buffer.flip());
      }
      return Optional.of(writer.finish());
    } catch (StoreFullException e) {
      return Optional.empty();
    }
  }

  @Override
  public BlockData getBytes(BlockId id) {
    StoredBlock block = blocks.get(id);
    return block == null ? stock.getBytes(id) : block;
  }

  @Override
  public BlockData getBytes(File file, long blockSize) {
    return stock.getBytes(file, blockSize);
  }

  @Override
  public boolean remove(BlockId id) {
    StoredBlock block = blocks.remove(id);
    if (block == null) {
      return stock.remove(id);
    }
    try {
      block.pool().free(block.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(id + " cannot be freed", e);
    }
    return true;
  }

  /** The pool, opened if need be; empty if that failed. */
  private synchronized Optional<BlockPool> pool() {
    if (pool == null && !failed && !closed) {
      try {
        pool = BlockPool.open(conf, executorId);
      } catch (IOException | RuntimeException e) {
        failed = true;
        LOG.warn("This executor has no pool for persisted blocks; they go to files", e);
      }
    }
    if (failed) {
      fallbacks.add("a pool that could not be opened");
    }
    return Optional.ofNullable(closed ? null : pool);
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
    }
    blocks.clear();
    if (pool != null) {
      pool.close();
    }
  }

  /** Blocks and bytes in the pool, for people. */
  @Override
  public synchronized String toString() {
    return "%s blocks in Sluice's pool, %s bytes used; left to files: %s"
        .formatted(blocks.size(), stats().map(TierStats::usedBytes).orElse(0L), fallbacks.counts());
  }
}
