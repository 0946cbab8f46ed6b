package io.sluice.it.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hands out port numbers that nobody listens on, below the range from which the kernel takes
 * ephemeral ports.
 *
 * <p>Each number comes with free neighbours ({@link #GAP} in all): a service may open the port next
 * to another's, as Sluice's does beside the stock shuffle's. Not thread-safe.
 */
public final class Ports {
  static final int GAP = 4;
  private static final int FIRST = 12_000;
  private static final int LAST = 31_900;

  private int next =
      FIRST + GAP * ThreadLocalRandom.current().nextInt((LAST - FIRST) / GAP); // clusters differ

  /** A port that has not been handed out before, by these. */
  public int take() {
    for (int tries = 0; tries < (LAST - FIRST) / GAP; tries++) {
      int port = next;
      next = next + GAP > LAST ? FIRST : next + GAP;
      if (isFree(port) && isFree(port + 1)) {
        return port;
      }
    }
    throw new ClusterException("no free port between " + FIRST + " and " + LAST);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
