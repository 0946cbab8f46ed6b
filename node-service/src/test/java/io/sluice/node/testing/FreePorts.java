package io.sluice.node.testing;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Ports, free at every address, that stay so while a service restarts: below the system's ephemeral
 * ports, which any process beside the test is given at any moment, and below those that the
 * clusters of the integration tests choose from.
 */
public final class FreePorts {
  private static final int FIRST = 2_000;
  private static final int COUNT = 10_000;
  private static final int TRIES = 1_000;

  private FreePorts() {}

  /** The first of so many free ports in a row: a service takes one more for each transport. */
  public static int inARow(int count) {
    Random random = new Random();
    for (int tries = 0; tries < TRIES; tries++) {
      int first = FIRST + random.nextInt(COUNT - count);
      if (IntStream.range(first, first + count).allMatch(FreePorts::isFree)) {
        return first;
      }
    }
    throw new IllegalStateException("no " + count + " free ports in a row");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
