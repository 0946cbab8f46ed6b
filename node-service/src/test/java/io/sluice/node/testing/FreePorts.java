package io.sluice.node.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Ports of the loopback interface that stay free while a service restarts: below the system's
 * ephemeral ports, which any process beside the test is given at any moment, and below those that
 * the clusters of the integration tests choose from.
 */
public final class FreePorts {
  private static final int FIRST = 2_000;
  private static final int COUNT = 10_000;

  private FreePorts() {}

  /** The first of so many free ports in a row: a service takes one more for each transport. */
  public static int inARow(int count) {
    Random random = new Random();
    while (true) {
      int first = FIRST + random.nextInt(COUNT - count);
      if (IntStream.range(first, first + count).allMatch(FreePorts::isFree)) {
        return first;
      }
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
