package io.sluice.spark.read;

import io.sluice.node.wire.NodeAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which pools of other executors answer. The first fetch from a pool runs alone, on a thread that
 * no other pool needs; further fetches from that pool wait for its end without a thread. So a pool
 * that does not answer delays no fetch from another one. It is not asked again for as long as the
 * failed fetch took, and twice as long after each further failure; then one fetch asks it again.
 *
 * <p>Thread contract: safe from any thread. Ownership: the executors are their owner's.
 */
final class PeerContacts {
  private static final Logger LOG = LoggerFactory.getLogger(PeerContacts.class);

  /** A failure that took less delays nobody. */
  private static final long COSTLY_NS = TimeUnit.SECONDS.toNanos(1);

  private final Executor first;
  private final Executor others;
  private final long longestPauseNs;
  private final LongSupplier nanoClock;
  private final Map<NodeAddress, Contact> contacts = new ConcurrentHashMap<>();

  /** What is known of one pool; all of it under its lock. */
  private static final class Contact {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean answers;
    private boolean tried; // now, by one fetch
    private int failures; // since it last answered
    private long failedNs;
    private long pauseNs;

    private boolean isLeftAlone(long nowNs) {
      return failures > 0 && nowNs - failedNs < pauseNs;
    }
  }

  /**
   * Nothing is known yet.
   *
   * @param first runs the first fetch from each pool
   * @param others runs all others
   * @param longestPauseNs most time that a pool is not asked; 0 where nobody else has its blocks
   */
  PeerContacts(Executor first, Executor others, long longestPauseNs, LongSupplier nanoClock) {
    this.first = first;
    this.others = others;
    this.longestPauseNs = longestPauseNs;
    this.nanoClock = nanoClock;
  }

  private Contact contact(NodeAddress pool) {
    return contacts.computeIfAbsent(pool, p -> new Contact());
  }

  /** Runs a fetch that asks these pools. */
  void submit(Set<NodeAddress> pools, Runnable fetch) {
    for (NodeAddress pool : pools) {
      Contact contact = contact(pool);
      synchronized (contact) {
        if (contact.tried) {
          contact.waiting.add(() -> submit(pools, fetch));
          return;
        }
        if (contact.answers || contact.isLeftAlone(nanoClock.getAsLong())) {
          continue;
        }
        contact.tried = true;
        contact.answers = true; // unless the fetch says otherwise
      }
      try {
        first.execute(() -> runAlone(contact, fetch));
      } catch (RuntimeException | Error e) { // no thread, or the executor stops
        synchronized (contact) {
          contact.tried = false; // or every later fetch would wait for this one
          contact.answers = false;
        }
        throw e;
      }
      return;
    }
    others.execute(fetch);
  }

  private void runAlone(Contact contact, Runnable fetch) {
    try {
      fetch.run();
    } finally {
      List<Runnable> waiting;
      synchronized (contact) {
        contact.tried = false;
        waiting = List.copyOf(contact.waiting);
        contact.waiting.clear();
      }
      try {
        waiting.forEach(Runnable::run);
      } catch (RejectedExecutionException e) {
        LOG.debug("The executor stops: {} fetches are dropped", waiting.size(), e);
      }
    }
  }

  /** Whether a pool is not to be asked now. */
  boolean isLeftAlone(NodeAddress pool) {
    Contact contact = contact(pool);
    synchronized (contact) {
      return contact.isLeftAlone(nanoClock.getAsLong());
    }
  }

  /** A pool has given what it was asked for. */
  void answered(NodeAddress pool) {
    Contact contact = contact(pool);
    synchronized (contact) {
      contact.answers = true;
      contact.failures = 0;
    }
  }

  /**
   * A pool could not be read.
   *
   * @param beganNs when it was asked
   * @return whether it answered before, so that this is news
   */
  boolean failed(NodeAddress pool, long beganNs) {
    Contact contact = contact(pool);
    synchronized (contact) {
      if (contact.failures > 0 && beganNs - contact.failedNs < 0) {
        return false; // asked at the same time as the fetch that failed first
      }
      contact.answers = false;
      contact.failedNs = nanoClock.getAsLong();
      long tookNs = contact.failedNs - beganNs;
      long longerNs = contact.failures == 0 ? 0 : 2 * contact.pauseNs;
      long pauseNs = tookNs < COSTLY_NS ? 0 : Math.max(tookNs, longerNs);
      contact.pauseNs = Math.min(pauseNs, longestPauseNs);
      return contact.failures++ == 0;
    }
  }
}
