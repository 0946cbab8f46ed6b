package io.sluice.spill.writer;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.store.MemorySource;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.writer.OpenExtent.FaultAround;
import io.sluice.spill.writer.WriteTarget.ExtentMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lends memory of the node's pool to a sort buffer: each chunk is an extent of the memory tier,
 * leased and mapped alone. The lease protects the records as it protects an output: also when the
 * service dies, for as long as this process lives.
 *
 * <p>Thread contract: that of {@link ChunkSource}; {@link #keepAtMost} from any thread. Ownership:
 * its maker closes it, after the sort buffer and before the source; that unmaps the chunks, and the
 * extents go with the lease. Failure: {@link IOException} of the source; the chunks may then belong
 * to another task, and must not be written to.
 */
public final class PoolChunks implements ChunkSource, Closeable {
  private final MemorySource source;
  private final ExtentMemory memory;
  private final Map<ByteBuffer, Lent> lent = new IdentityHashMap<>();
  private long mostBytes;
  private volatile long lentBytes;
  private volatile long keepBytes = Long.MAX_VALUE;

  private record Lent(Extent extent, Mapping mapping) {}

  /** Lends memory of this source, which stays its owner's. */
  public PoolChunks(MemorySource source, ExtentMemory memory) {
    this.source = source;
    this.memory = memory;
  }

  @Override
  public ByteBuffer allocate(int lengthBytes) throws IOException {
    if (isWantedBack()) {
      return null;
    }
    Optional<Extent> extent = source.leaseMemory(MemoryUse.SORT, lengthBytes);
    if (extent.isEmpty()) {
      return null;
    }
    Mapping mapping = memory.open(extent.get()); // if it fails, the lease ends
    ByteBuffer chunk = mapping.buffer().slice(0, lengthBytes);
    new FaultAround(chunk).enterTo(lengthBytes);
    lent.put(chunk, new Lent(extent.get(), mapping));
    setLent(lentBytes + extent.get().lengthBytes());
    return chunk;
  }

  @Override
  public void free(List<ByteBuffer> chunks) throws IOException {
    List<Extent> extents = new ArrayList<>();
    for (ByteBuffer chunk : chunks) {
      Lent returned = lent.remove(chunk);
      if (returned == null) {
        throw new IllegalArgumentException("a chunk given back that is not lent: " + chunk);
      }
      returned.mapping().close(); // before the release, after which it may be another task's
      extents.add(returned.extent());
      setLent(lentBytes - returned.extent().lengthBytes());
    }
    if (lent.isEmpty()) {
      keepBytes = Long.MAX_VALUE; // the notice is obeyed; another one may come
    }
    source.release(extents);
  }

  private void setLent(long bytes) {
    lentBytes = bytes;
    mostBytes = Math.max(mostBytes, bytes);
  }

  /** The node wants all memory back beyond this. */
  public void keepAtMost(long bytes) {
    keepBytes = bytes;
  }

  @Override
  public boolean isWantedBack() {
    return lentBytes > keepBytes;
  }

  /** Most bytes that were lent at one time. */
  public long mostBytes() {
    return mostBytes;
  }

  @Override
  public void close() {
    lent.values().forEach(chunk -> chunk.mapping().close());
    lent.clear();
    setLent(0);
  }
}
