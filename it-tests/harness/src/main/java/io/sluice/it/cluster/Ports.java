package io.sluice.it.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Hands out port numbers that nobody listens on, below the range from which the kernel takes
 * ephemeral ports.
 *
 * <p>A number is asked for long before it is listened on, and clusters of several processes start
 * side by side. So each process takes its numbers from a range of its own: it holds the lock of a
 * file until it ends.
 *
 * <p>Each number comes with free neighbours ({@link #GAP} in all): a service may open the port next
 * to another's, as Sluice's does beside the stock shuffle's. Safe from any thread.
 */
public final class Ports {
  private static final int GAP = 4;

  /** Those of a few clusters. */
  private static final int RANGE = 400;

  private static final int FIRST = 12_000;
  private static final int RANGES = 49;

  private static Ports ofThisProcess;

  private final FileLock held; // by this process until it ends
  private final int first;
  private int next;

  private Ports(FileLock held, int first) {
    this.held = held;
    this.first = first;
    this.next = first;
  }

  /** A port that was not handed out for as long as possible. */
  public static synchronized int take() {
    if (ofThisProcess == null) {
      ofThisProcess = lockRange();
    }
    return ofThisProcess.free();
  }

  private static Ports lockRange() {
    Path directory =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "sluice-ports-" + System.getProperty("user.name"));
    try {
      Files.createDirectories(directory);
      for (int range = 0; range < RANGES; range++) {
        FileChannel file =
            FileChannel.open(
                directory.resolve(range + ".lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = file.tryLock();
        if (lock != null) {
          return new Ports(lock, FIRST + range * RANGE);
        }
        file.close();
      }
    } catch (IOException e) {
      throw new ClusterException("cannot lock a range of ports in " + directory, e);
    }
    throw new ClusterException(
        "all %d ranges of ports are taken by other processes: see %s".formatted(RANGES, directory));
  }

  private int free() {
    for (int tries = 0; tries < RANGE / GAP; tries++) {
      int port = next;
      next = first + (next - first + GAP) % RANGE;
      if (isFree(port) && isFree(port + 1)) {
        return port;
      }
    }
    throw new ClusterException(
        "no free port between %d and %d, which %s is for".formatted(first, first + RANGE, held));
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
