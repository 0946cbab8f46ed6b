package io.sluice.node.client;

import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.BounceSlots.BounceRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from one node through its bounce slots: has a range copied into a slot, reads the slot, and
 * gives it back at once, also if the read fails.
 *
 * <p>It holds at most {@link BounceSlots#MAX_PER_READER} slots and waits at the service for one
 * only while it holds none, so readers never wait for each other in a circle. When the service has
 * none free even then, everything that waits here fails with {@link BounceBusyException}: one wait,
 * and not one for each. When the node takes no further connection to ask on, all of it fails with
 * {@link NodeBusyException}: it may have slots, and a reader that connects later gets them.
 *
 * <p>Differs from a direct read in that the remote CPU copies and that each read costs a round trip
 * on a control connection.
 *
 * <p>Thread contract: safe from any thread; the conversation is held on one thread, which ends when
 * there is nothing to do. Ownership: the node closes it, after its inputs. Failure: futures fail
 * with a {@link TransportException} by about their deadline.
 */
final class BounceReads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BounceReads.class);
  private static final long THREAD_IDLE_MS = 5_000;

  private final String node;
  private final long timeoutMs;
  private final Connector connector;
  private final Offers offers;
  private final DataLinks links;
  private final ThreadPoolExecutor thread;
  private final Deque<BounceRead> waiting = new ArrayDeque<>(); // this and the next: thread only
  private final Map<Long, BounceRead> holding = new HashMap<>();
  private long usedNs;
  private volatile boolean begun; // else there is nothing to end
  private volatile RemoteClient client;

  /** Makes a control connection, which is closed here. */
  interface Connector {
    /**
     * Connects.
     *
     * @throws NodeBusyException if the service takes no further connection now
     */
    RemoteClient connect(long withinMs) throws IOException;
  }

  /** Where the node serves each transport now. */
  interface Offers {
    List<TransportOffer> rails(String transport) throws TransportException;
  }

  /**
   * Connects nothing yet.
   *
   * @param node name of the node, for messages
   * @param timeoutMs how long closing waits for reads in flight
   * @param links over which slots are read; stay the caller's
   */
  BounceReads(String node, long timeoutMs, Connector connector, Offers offers, DataLinks links) {
    this.node = node;
    this.timeoutMs = timeoutMs;
    this.connector = connector;
    this.offers = offers;
    this.links = links;
    this.thread = DaemonThreads.executor("sluice-bounce-" + node, THREAD_IDLE_MS);
  }

  /** Starts a read as soon as a slot can be had. */
  void start(BounceRead read) {
    begun = true;
    Runnable step =
        () -> {
          waiting.addLast(read);
          advance();
        };
    try {
      thread.execute(step);
    } catch (OutOfMemoryError e) {
      thread.remove(step); // a later read could fill memory that is another's by then
      throw e;
    }
  }

  private void advance() {
    while (!waiting.isEmpty()
        && holding.size() < BounceSlots.MAX_PER_READER
        && tryRead(waiting.peekFirst())) {
      waiting.pollFirst();
    }
  }

  /** False if it must wait for a slot that is held here. */
  private boolean tryRead(BounceRead read) {
    try {
      long leftMs = read.leftMs();
      if (leftMs <= 0) {
        throw new ReadTimeoutException(read + " has found no slot by its deadline");
      }
      links.connect(offers.rails(read.transport()));
      issue(read, client(leftMs).bounce(read.request(), Math.max(1, read.leftMs())));
    } catch (RemoteError e) {
      if (e.code() == RemoteError.Code.BUSY) {
        return holding.isEmpty() ? failAllWaiting(e, BounceBusyException::new) : false;
      }
      read.fail(new TransportException(read + " was refused: " + e.getMessage(), e));
    } catch (NodeBusyException e) {
      failAllWaiting(e, NodeBusyException::new);
    } catch (TransportException e) {
      read.fail(e);
    } catch (IOException e) {
      disconnect();
      read.fail(new TransportException(read + " failed: " + ErrorText.of(e), e));
    } catch (RuntimeException | Error e) {
      disconnect(); // an answer that was not taken would be the next question's
      read.fail(new TransportException(read + " failed: " + e, e));
    }
    return true;
  }

  private boolean failAllWaiting(
      IOException cause, BiFunction<String, Throwable, TransportException> failure) {
    for (BounceRead read : waiting) {
      read.fail(failure.apply(read + ": " + ErrorText.of(cause), cause));
    }
    waiting.clear();
    return true;
  }

  private RemoteClient client(long withinMs) throws IOException {
    if (client != null && isIdle()) {
      disconnect(); // before the service does
    }
    if (client == null) {
      client = connector.connect(withinMs);
    }
    usedNs = System.nanoTime();
    return client;
  }

  private void issue(BounceRead read, BounceRange range) throws TransportException {
    RemoteClient from = client;
    holding.put(range.ticket(), read);
    try {
      links
          .read(
              offers.rails(read.transport()),
              range.region(),
              range.offsetBytes(),
              read.destination(),
              read.lengthBytes(),
              Math.max(1, read.leftMs()))
          .whenComplete(
              (ok, failure) -> {
                try {
                  read.ended(failure);
                } finally {
                  later(() -> giveBack(range.ticket(), from));
                }
              });
    } catch (TransportException | RuntimeException | Error e) {
      giveBack(range.ticket(), from);
      throw e;
    }
  }

  private void later(Runnable step) {
    Runnable advancing =
        () -> {
          step.run();
          advance();
        };
    try {
      thread.execute(advancing);
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: closed, its control connection gives the slots back", node);
    } catch (OutOfMemoryError e) {
      thread.remove(advancing);
      thread.getQueue().add(advancing); // the next thread that can be had does it first
      LOG.warn("{}: no thread can be started; a slot is given back later", node, e);
    }
  }

  private void giveBack(long ticket, RemoteClient from) {
    if (from != client) {
      return; // the service took it back when that connection ended
    }
    holding.remove(ticket);
    try {
      client.release(ticket);
    } catch (IOException e) {
      LOG.debug("{}: the control connection ended: {}", node, e.toString());
      disconnect();
    }
  }

  /** Ends a control connection that was not used lately and holds no slot. */
  void closeIdle() {
    if (client != null) {
      later(
          () -> {
            if (isIdle()) {
              disconnect();
            }
          });
    }
  }

  private boolean isIdle() {
    return holding.isEmpty()
        && System.nanoTime() - usedNs > TimeUnit.MILLISECONDS.toNanos(RemoteClient.KEPT_IDLE_MS);
  }

  /** Whether it has a control connection of its own. */
  boolean isConnected() {
    return client != null;
  }

  private void disconnect() {
    holding.values().forEach(BounceRead::slotLost);
    holding.clear();
    RemoteClient ended = client;
    client = null;
    closeQuietly(ended);
  }

  private void closeQuietly(RemoteClient ended) {
    try {
      if (ended != null) {
        ended.close();
      }
    } catch (IOException e) {
      LOG.debug("{}: closing the control connection: {}", node, e.toString());
    }
  }

  @Override
  public void close() {
    if (thread.isShutdown()) {
      return;
    }
    if (!begun) {
      thread.shutdown();
      return;
    }
    thread.execute(
        () -> {
          waiting.forEach(read -> read.fail(new TransportException(read + ": reader closed")));
          waiting.clear();
          disconnect();
        });
    thread.shutdown();
    boolean ended = false;
    try {
      ended = thread.awaitTermination(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!ended) {
      closeQuietly(client); // which ends whatever the thread waits for
    }
  }

  /**
   * A node has no free bounce slot now; nothing is wrong with the transport, the connection holds.
   */
  static final class BounceBusyException extends TransportException {
    private static final long serialVersionUID = 1L;

    BounceBusyException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
