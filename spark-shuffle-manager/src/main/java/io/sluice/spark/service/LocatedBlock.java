package io.sluice.spark.service;

import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeRun;
import io.sluice.rdma.memory.Closing;
import io.sluice.spark.pool.DamagedBlockException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * The bytes of a block in the node's pool, read in place, verified, and decrypted if need be.
 * Nothing is held before the first read.
 *
 * <p>Thread contract: one thread. Ownership: whoever reads it closes it. Failure: {@link
 * DamagedBlockException} if the bytes are gone or damaged.
 */
final class LocatedBlock extends InputStream {
  private final List<NodeRun> runs;
  private final byte[] one = new byte[1];
  private int next;

  LocatedBlock(List<NodeRun> runs) {
    this.runs = runs;
  }

  long lengthBytes() {
    return runs.stream().mapToLong(NodeRun::plainLengthBytes).sum();
  }

  @Override
  public int read() throws IOException {
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] destination, int offset, int lengthBytes) throws IOException {
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
    return -1;
  }

  @Override
  public void close() throws IOException {
    List<NodeRun> left = runs.subList(next, runs.size());
    next = runs.size();
    Closing.all(left);
  }
}
