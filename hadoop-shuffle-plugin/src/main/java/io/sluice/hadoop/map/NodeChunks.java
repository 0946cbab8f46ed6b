package io.sluice.hadoop.map;

import io.sluice.node.socket.RevocationListener;
import io.sluice.node.socket.SocketClient;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.writer.PoolChunks;
import io.sluice.spill.writer.WriteTarget.ExtentMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory that a map's sort buffer borrows from its node. The map listens whether the node wants
 * the memory back. Nothing is opened before the first chunk is lent.
 *
 * <p>Differs from {@link PoolChunks}, which lends the chunks, in that it listens.
 *
 * <p>Thread contract: that of {@link ChunkSource}. Ownership: {@link NodeCollector} closes it,
 * after the sort buffer and before the connection. Failure: as {@link PoolChunks}. If the map
 * cannot listen to the service, it borrows no more; that is counted.
 */
final class NodeChunks implements ChunkSource, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeChunks.class);

  private final SocketClient node;
  private final PoolChunks chunks;
  private RevocationListener listener; // null: none yet
  private int failures;

  NodeChunks(SocketClient node, ExtentMemory memory) {
    this.node = node;
    this.chunks = new PoolChunks(node, memory);
  }

  @Override
  public ByteBuffer allocate(int lengthBytes) throws IOException {
    if (failures > 0) {
      return null;
    }
    ByteBuffer chunk = chunks.allocate(lengthBytes);
    if (chunk != null && !isListening()) {
      chunks.free(List.of(chunk));
      return null;
    }
    return chunk;
  }

  private boolean isListening() throws IOException {
    if (listener != null && !listener.hasEnded()) {
      return true;
    }
    closeListener();
    try {
      listener =
          RevocationListener.start(
              node.listen(),
              notice -> chunks.keepAtMost(notice.sortBytes()),
              () -> chunks.keepAtMost(0));
      return true;
    } catch (IOException e) {
      LOG.warn("The sort buffer stays as it is, because the node's service cannot be heard", e);
      failures++;
      return false;
    }
  }

  private void closeListener() throws IOException {
    RevocationListener closing = listener;
    listener = null;
    if (closing != null) {
      closing.close();
    }
  }

  @Override
  public void free(List<ByteBuffer> returned) throws IOException {
    chunks.free(returned);
  }

  @Override
  public boolean isWantedBack() {
    return chunks.isWantedBack();
  }

  /** Most bytes that were borrowed at one time. */
  long mostBytes() {
    return chunks.mostBytes();
  }

  /** How often the map could not listen to the service, and went on without borrowing. */
  int failures() {
    return failures;
  }

  @Override
  public void close() throws IOException {
    try (chunks) {
      closeListener();
    }
  }
}
