package io.sluice.node.client;

import io.sluice.node.remote.RemoteClient;
import io.sluice.node.wire.RemoteError;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Control connections to one node that are kept from one question to the next, because connecting
 * and proving the secret takes longer than most questions.
 *
 * <p>A kept one may have been ended by the service meanwhile, so that a question it fails to answer
 * is asked again on a new one; what fails there has failed, unless an answer to a part of it came
 * or began to come. Then it is asked again, but not for longer than one answer may take: a service
 * that ends a connection by its clock cannot be told from one whose output has moved.
 *
 * <p>Thread contract: safe from any thread; there are at most as many connections as questions at
 * one time. Ownership: the node closes it, after the last question.
 */
final class ControlConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControlConnections.class);

  /** Sooner than the service ends them. */
  private static final long KEPT_NS = TimeUnit.MILLISECONDS.toNanos(RemoteClient.KEPT_IDLE_MS);

  private static final int MOST_TRIES = 5;

  private final Connector connector;
  private final long answerNs;
  private final Deque<Kept> kept = new ArrayDeque<>();
  private boolean closed;

  private record Kept(RemoteClient client, long usedNs) {}

  /** Makes a connection. */
  interface Connector {
    RemoteClient connect() throws IOException;
  }

  /** Asks something. */
  interface Question<T> {
    T ask(RemoteClient client) throws IOException;
  }

  /**
   * Nothing is connected yet.
   *
   * @param answerMs how long an answer may take
   */
  ControlConnections(Connector connector, long answerMs) {
    this.connector = connector;
    this.answerNs = TimeUnit.MILLISECONDS.toNanos(answerMs);
  }

  /** Asks on a kept connection, else on a new one. */
  <T> T ask(Question<T> question) throws IOException {
    long sinceNs = System.nanoTime();
    for (RemoteClient client = takeKept(); client != null; client = takeKept()) {
      try {
        return ask(question, client);
      } catch (RemoteError | InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        if (isLate(sinceNs)) {
          throw e;
        }
        LOG.debug("A kept control connection does not answer any more: {}", e.toString());
      }
    }
    for (int tries = 1; ; tries++) {
      checkOpen();
      RemoteClient client = connector.connect(); // if this is closed meanwhile, it is not kept
      try {
        return ask(question, client);
      } catch (RemoteError | InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        if (tries == MOST_TRIES || isLate(sinceNs) || !client.isAnswered()) {
          throw e;
        }
        LOG.debug("A control connection ended before all was answered: {}", e.toString());
      }
    }
  }

  private boolean isLate(long sinceNs) {
    return System.nanoTime() - sinceNs >= answerNs;
  }

  private synchronized void checkOpen() throws IOException {
    if (closed) {
      throw new IOException("this reader is closed");
    }
  }

  private <T> T ask(Question<T> question, RemoteClient client) throws IOException {
    T answer;
    try {
      answer = question.ask(client);
    } catch (RemoteError e) {
      keep(client); // the next question may be answered
      throw e;
    } catch (IOException | RuntimeException | Error e) { // of memory, say: its answer is not taken
      closeQuietly(client);
      throw e;
    }
    keep(client);
    return answer;
  }

  /** One that the service has not ended by its own clock, or null. */
  private RemoteClient takeKept() {
    while (true) {
      Kept next;
      synchronized (this) {
        next = kept.pollFirst();
      }
      if (next == null || System.nanoTime() - next.usedNs() < KEPT_NS) {
        return next == null ? null : next.client();
      }
      closeQuietly(next.client());
    }
  }

  private void keep(RemoteClient client) {
    synchronized (this) {
      if (!closed) {
        kept.addFirst(new Kept(client, System.nanoTime()));
        return;
      }
    }
    closeQuietly(client);
  }

  /** Whether one is kept. */
  synchronized boolean isConnected() {
    return !kept.isEmpty();
  }

  /** Ends those that nothing was asked on lately. */
  void closeIdle() {
    Deque<Kept> idle = new ArrayDeque<>();
    synchronized (this) {
      while (!kept.isEmpty() && System.nanoTime() - kept.peekLast().usedNs() >= KEPT_NS) {
        idle.add(kept.pollLast()); // the one used longest ago
      }
    }
    idle.forEach(each -> closeQuietly(each.client()));
  }

  /** Ends those that nothing is asked on now. */
  void closeKept() {
    Deque<Kept> last;
    synchronized (this) {
      last = new ArrayDeque<>(kept);
      kept.clear();
    }
    last.forEach(each -> closeQuietly(each.client()));
  }

  private static void closeQuietly(RemoteClient client) {
    try {
      client.close();
    } catch (IOException e) {
      LOG.debug("Closing a control connection: {}", e.toString());
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    closeKept();
  }
}
