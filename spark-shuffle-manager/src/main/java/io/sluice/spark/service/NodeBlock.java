package io.sluice.spark.service;

import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.PartitionRange;
import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.PoolBlock;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * A block in the pool of this node's service.
 *
 * <p>Thread contract and ownership: as {@link PoolBlock}. The reader closes a stream, or the end of
 * its task does ({@link NodeReads}).
 */
public final class NodeBlock extends PoolBlock {
  private final NodeReads pool;
  private final String output;
  private final PartitionRange partitions;
  private final NodeReads.TaskReads reads;
  private LocatedBlock unread;

  /** Its first stream reads {@code found}; each later one locates the block anew. */
  NodeBlock(
      NodeReads pool,
      String output,
      PartitionRange partitions,
      LocatedBlock found,
      NodeReads.TaskReads reads) {
    super(found.lengthBytes());
    this.pool = pool;
    this.output = output;
    this.partitions = partitions;
    this.reads = reads;
    this.unread = found;
  }

  @Override
  public synchronized InputStream createInputStream() throws IOException {
    LocatedBlock next = unread;
    unread = null;
    if (next == null) {
      next =
          pool.locate(output, partitions)
              .orElseThrow(() -> new FileNotFoundException(output + " has been freed"));
    }
    return reads.open(next);
  }

  /**
   * The bytes of a block in the node's pool. They are read in place, verified, and decrypted if
   * they are encrypted. Nothing is held before the first read.
   *
   * <p>Thread contract: safe from any thread; one reads, and the end of its task may close it
   * meanwhile. Ownership: the reader closes it, or the end of its task does. Failure: {@link
   * DamagedBlockException} if the bytes are gone or damaged; {@link IOException} if the stream was
   * closed before its end.
   */
  static final class LocatedBlock extends InputStream {
    private final List<NodeRun> runs;
    private final byte[] one = new byte[1];
    private int next;
    private boolean closed;
    private Runnable onClose = () -> {};

    LocatedBlock(List<NodeRun> runs) {
      this.runs = runs;
    }

    long lengthBytes() {
      return runs.stream().mapToLong(NodeRun::plainLengthBytes).sum();
    }

    /** Runs the action once, when the stream is read to its end or closed. */
    synchronized void whenClosed(Runnable action) {
      onClose = action;
    }

    @Override
    public int read() throws IOException {
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] destination, int offset, int lengthBytes)
        throws IOException {
      if (closed) {
        throw new IOException("a block of the node's pool was closed before its end");
      }
      while (next < runs.size()) {
        int n;
        try {
          n = runs.get(next).input().read(destination, offset, lengthBytes);
        } catch (FetchFailedException e) {
          throw new DamagedBlockException(e);
        }
        if (n >= 0) {
          return n;
        }
        runs.get(next).close();
        next++;
      }
      onClose.run();
      return -1;
    }

    @Override
    public synchronized void close() throws IOException {
      List<NodeRun> left = runs.subList(next, runs.size());
      closed |= !left.isEmpty();
      next = runs.size();
      onClose.run();
      Closer.all(left);
    }
  }
}
