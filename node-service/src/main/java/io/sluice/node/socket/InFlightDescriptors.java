package io.sluice.node.socket;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.OpenFilesLimit;
import io.sluice.rdma.unix.UnixSocket.SentQueue;
import io.sluice.spill.segment.Owner;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The descriptors that were sent to tasks and that these have not received.
 *
 * <p>The kernel counts those of all tasks against the service, and lets it send no more than it may
 * have files open. A descriptor counts until the task receives it or closes its end of the
 * connection, even if the service closes its own. So a task that receives nothing could keep all
 * others out. Therefore a connection has the descriptors of one answer in flight at most. The
 * connections of one user, ended ones included, have a share of the files that the service may
 * open.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link SocketServer} closes it after all
 * connections. Failure: {@link IOException} of the system.
 */
final class InFlightDescriptors implements Closeable {
  /** So many users that receive nothing use up all that may be in flight. */
  private static final int SHARES = 16;

  private final int mostOfUser;
  private final Map<Owner, List<Connection>> connections = new HashMap<>();
  private boolean closed;

  /** With a share of the files that this process may have open. */
  static InFlightDescriptors ofThisProcess() {
    return new InFlightDescriptors(
        Math.max(OpenFilesLimit.share(SHARES), SocketProtocol.MAX_FILES));
  }

  InFlightDescriptors(int mostOfUser) {
    this.mostOfUser = mostOfUser;
  }

  /** A connection to a task of that user. The queue belongs to it from now on. */
  synchronized Connection open(Owner owner, SentQueue queue) {
    Connection connection = new Connection(owner, queue);
    connections.computeIfAbsent(owner, key -> new ArrayList<>()).add(connection);
    return connection;
  }

  /** How many were sent and, as far as is known, not received, by the connections of a user. */
  synchronized int filesOf(Owner owner) {
    return sum(connections.getOrDefault(owner, List.of()));
  }

  /** The same of each user that has connections. */
  synchronized Map<Owner, Long> filesOfUsers() {
    Map<Owner, Long> all = new HashMap<>();
    connections.forEach((owner, each) -> all.put(owner, (long) sum(each)));
    return all;
  }

  private static int sum(Collection<Connection> connections) {
    return connections.stream().mapToInt(each -> each.files).sum();
  }

  /** Asks the kernel how many were received; closes ended connections that have none left. */
  private void review(List<Connection> all) throws IOException {
    List<Connection> done = new ArrayList<>();
    for (Connection each : all) {
      if (each.files > 0 && each.queue.untakenBytes() == 0) {
        each.files = 0;
      }
      if (each.ended && each.files == 0) {
        done.add(each);
      }
    }
    all.removeAll(done);
    Closer.all(done.stream().map(each -> each.queue).toList());
  }

  /** The descriptors that were sent over one connection. */
  final class Connection implements Closeable {
    private final Owner owner;
    private final SentQueue queue;
    private int files; // of the last answer that had any; these are guarded by the outer object
    private boolean ended;

    private Connection(Owner owner, SentQueue queue) {
      this.owner = owner;
      this.queue = queue;
    }

    /** Whether the task has received all that it was sent: else it may not ask for more files. */
    boolean isEmpty() throws IOException {
      return queue.untakenBytes() == 0;
    }

    /** Counts the files of an answer that is to be sent; false if the user has no room for them. */
    boolean add(int count) throws IOException {
      synchronized (InFlightDescriptors.this) {
        List<Connection> ofUser = connections.computeIfAbsent(owner, key -> new ArrayList<>());
        files = 0; // the former ones: it is empty
        if (sum(ofUser) + count > mostOfUser) {
          review(ofUser);
        }
        if (sum(ofUser) + count > mostOfUser) {
          return false;
        }
        files = count;
        return true;
      }
    }

    /** They were not sent. */
    void takeBack() {
      synchronized (InFlightDescriptors.this) {
        files = 0;
      }
    }

    /** The connection has ended; its descriptors count until they are received. */
    @Override
    public void close() throws IOException {
      synchronized (InFlightDescriptors.this) {
        ended = true;
        queue.endConnection();
        if (closed) {
          queue.close();
          return;
        }
        for (List<Connection> all : List.copyOf(connections.values())) {
          review(all);
        }
        connections.values().removeIf(List::isEmpty);
      }
    }
  }

  /** Those of connections that have not ended are closed when they do. */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    List<SentQueue> ended =
        connections.values().stream()
            .flatMap(List::stream)
            .filter(each -> each.ended)
            .map(each -> each.queue)
            .toList();
    connections.clear();
    Closer.all(ended);
  }
}
