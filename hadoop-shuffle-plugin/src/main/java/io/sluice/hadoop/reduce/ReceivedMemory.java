package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.stage.LeasedStage;
import io.sluice.node.socket.RevocationListener;
import io.sluice.node.socket.SocketClient;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import io.sluice.spill.writer.ReceivedExtents;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of its node in which a reduce stages runs. The reduce listens whether the node wants
 * the memory back, and moves runs to disk then. Nothing is opened before the first lease.
 *
 * <p>Thread contract: safe from any thread; the listener's thread moves runs to disk. Ownership:
 * the shuffle closes it, before the connection; the shuffle closes the stage, too. Failure: if the
 * reduce cannot listen to the service, runs go to disk. A run that cannot be moved stays in memory,
 * and the node grants this reduce no more memory.
 */
final class ReceivedMemory implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ReceivedMemory.class);

  private final SocketClient node;
  private final ReceivedExtents extents;
  private LeasedStage stage;
  private RevocationListener listener; // null: none yet
  private boolean failed;

  ReceivedMemory(SocketClient node) {
    this.node = node;
    this.extents = new ReceivedExtents(node, this::isHearing);
  }

  /**
   * Makes the stage, once.
   *
   * @param extentBytes most bytes that are mapped at a time of each run that is written
   * @param windowBytes most bytes that are mapped at a time of each run that is read
   */
  synchronized LeasedStage stage(Medium medium, long extentBytes, int windowBytes, OutputKey key) {
    stage =
        new LeasedStage(
            extents, source -> WriteTarget.mapped(source, medium, extentBytes), windowBytes, key);
    return stage;
  }

  private synchronized boolean isHearing() {
    if (listener == null && !failed) {
      try {
        listener = RevocationListener.start(node.listen(), this::heard, () -> keep(0));
      } catch (IOException e) {
        LOG.warn("Runs are staged on disk, because the node's service cannot be heard", e);
        failed = true;
      }
    }
    return listener != null && !listener.hasEnded();
  }

  private void heard(RevocationNotice notice) {
    keep(notice.receiveBytes());
  }

  private void keep(long bytes) {
    extents.keepAtMost(bytes);
    LeasedStage staged;
    synchronized (this) {
      staged = stage;
    }
    try {
      staged.keepAtMost(bytes);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Received runs stay in memory that the node wants back", e);
    }
  }

  @Override
  public void close() throws IOException {
    RevocationListener closing;
    synchronized (this) {
      closing = listener;
      listener = null;
      failed = true;
    }
    if (closing != null) {
      closing.close();
    }
  }
}
