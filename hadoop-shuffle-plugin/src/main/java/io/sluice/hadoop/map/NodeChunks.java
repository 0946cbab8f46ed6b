package io.sluice.hadoop.map;

import io.sluice.node.socket.RevocationListener;
import io.sluice.node.socket.SocketClient;
import io.sluice.spill.sort.ChunkSource;
import io.sluice.spill.writer.ExtentMemory;
import io.sluice.spill.writer.PoolChunks;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a map's sort buffer borrows of its node, for as long as it hears whether the node wants it
 * back. Nothing is opened before the first chunk is lent.
 *
 * <p>It differs from {@link PoolChunks}, which does the lending, in listening.
 *
 * <p>Thread contract: that of {@link ChunkSource}. Ownership: {@link NodeCollector} closes it,
 * after the sort buffer and before the connection. Failure: as {@link PoolChunks}; when the service
 * cannot be listened to nothing is borrowed any more, which is counted.
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

  /** The most that was borrowed at one time. */
  long mostBytes() {
    return chunks.mostBytes();
  }

  /** How many times it went on without, because the service could not be heard. */
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
