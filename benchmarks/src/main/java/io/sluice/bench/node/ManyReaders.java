package io.sluice.bench.node;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.wire.RemoteError;
import io.sluice.spill.segment.PoolPaths;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Many readers that ask one node for the same outputs as soon as they can, and keep their
 * connections for a while, as reducers do when a node's last map has ended. One that is refused
 * asks again later, in pauses as a reducer's.
 *
 * <p>They are one thread's, so the node has one question at a time.
 */
final class ManyReaders {
  private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(30);
  private static final long KEPT_NS = TimeUnit.MILLISECONDS.toNanos(RemoteClient.KEPT_IDLE_MS);

  private static final Comparator<Refused> BY_TIME =
      (one, other) -> Long.signum(one.againNs() - other.againNs()); // of a clock that may run over

  private final CrowdNode node;
  private final Deque<Kept> kept = new ArrayDeque<>();

  ManyReaders(CrowdNode node) {
    this.node = node;
  }

  private record Kept(RemoteClient client, long sinceNs) {}

  private record Refused(long pauseNs, long againNs) {}

  /**
   * The costs.
   *
   * @param ms until every reader had its answer
   * @param refused how often one was told to come later
   */
  record Took(int readers, double ms, double refused) {}

  /** Measures it. */
  Took measure(int readers) throws IOException {
    long startNs = System.nanoTime();
    int refusals = 0;
    Queue<Refused> later = new PriorityQueue<>(BY_TIME);
    for (int left = readers; left > 0 || !later.isEmpty(); ) {
      closeThoseKeptLongEnough();
      Refused next = due(later);
      if (next == null && left == 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        continue;
      }
      if (next == null) {
        left--;
        next = new Refused(FIRST_PAUSE_NS / 2, 0);
      }
      if (!asks()) {
        refusals++;
        long pauseNs = Math.min(LONGEST_PAUSE_NS, 2 * next.pauseNs());
        later.add(new Refused(pauseNs, System.nanoTime() + pauseNs));
      }
    }
    double ms = (System.nanoTime() - startNs) / 1e6;
    for (Kept each : kept) {
      each.client().close();
    }
    kept.clear();
    return new Took(readers, ms, refusals);
  }

  private static Refused due(Queue<Refused> later) {
    Refused first = later.peek();
    return first != null && System.nanoTime() - first.againNs() >= 0 ? later.poll() : null;
  }

  private boolean asks() throws IOException {
    RemoteClient client;
    try {
      client = node.connect();
    } catch (RemoteError e) {
      if (e.code() == RemoteError.Code.BUSY) {
        return false;
      }
      throw e;
    }
    client.describe(PartitionRange.one(0), CrowdNode.outputs(), 0, PoolPaths.ELSEWHERE);
    kept.add(new Kept(client, System.nanoTime()));
    return true;
  }

  private void closeThoseKeptLongEnough() throws IOException {
    while (!kept.isEmpty() && System.nanoTime() - kept.peek().sinceNs() >= KEPT_NS) {
      kept.poll().client().close();
    }
  }
}
