package io.sluice.spark.read;

import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.threads.SafeLog;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which pools of other executors answer. The first fetch from a pool runs alone, on a thread that
 * no other pool needs; further fetches from that pool wait without a thread until it has answered
 * or failed, or has said nothing for too long. Where that fetch does not come to ask the pool in
 * time, because another one keeps it, the next one asks. So a pool that does not answer delays no
 * fetch from another one. All fetches that were submitted before a pool failed share that failure,
 * if it took long; else a pool that does not answer would cost each of them as long, one after the
 * other. It is not asked again for as long as the failed fetch took, and twice as long after each
 * further failure; then one fetch asks it again.
 *
 * <p>Thread contract: safe from any thread. Ownership: the executors are their owner's. Failure: a
 * fetch for which there is no thread is told so, and does not begin.
 */
final class PeerContacts {
  private static final Logger LOG = LoggerFactory.getLogger(PeerContacts.class);

  /** A failure that took less delays nobody. */
  private static final long COSTLY_NS = TimeUnit.SECONDS.toNanos(1);

  private final Executor first;
  private final Executor others;
  private final Deadlines deadlines;
  private final long longestSilenceNs;
  private final long longestPauseNs;
  private final LongSupplier nanoClock;
  private final Map<NodeAddress, Contact> contacts = new ConcurrentHashMap<>();

  /** Blocks that a task wants of some pools. */
  interface Fetch {
    /** Asks the pools, on a thread that may wait for them. */
    void run();

    /** There is no thread for it, so that somebody else must fetch the blocks. */
    void leave(Throwable why);
  }

  /** Runs something later, unless it is cancelled before. */
  interface Deadlines {
    /** At once, if the delay is not positive. */
    Future<?> schedule(Runnable work, long delayNs);
  }

  /** What is known of one pool; all of it under its lock. */
  private static final class Contact {
    private Attempt attempt; // to get a first answer; null if none is under way
    private boolean answers;
    private int failures; // since it last answered
    private long failedNs;
    private long tookNs;
    private long pauseNs;

    /** Whether a fetch that was submitted then is not to ask it now. */
    private boolean isLeftAlone(long submittedNs, long nowNs) {
      boolean shared = tookNs >= COSTLY_NS && failedNs - submittedNs >= 0;
      return failures > 0 && (shared || nowNs - failedNs < pauseNs);
    }
  }

  /** A fetch that runs alone, and what waits for its answer; under its contact's lock. */
  private static final class Attempt {
    private final Fetch fetch;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean asks;
    private long sinceNs; // when it began, asked the pool, or last heard from it
    private Future<?> deadline;

    Attempt(Fetch fetch) {
      this.fetch = fetch;
    }
  }

  /**
   * Nothing is known yet.
   *
   * @param first runs the first fetch from each pool
   * @param others runs all others
   * @param longestSilenceNs a pool that has been asked and says nothing for so long has failed
   * @param longestPauseNs most time that a pool is not asked; 0 where nobody else has its blocks
   */
  PeerContacts(
      Executor first,
      Executor others,
      Deadlines deadlines,
      long longestSilenceNs,
      long longestPauseNs,
      LongSupplier nanoClock) {
    this.first = first;
    this.others = others;
    this.deadlines = deadlines;
    this.longestSilenceNs = longestSilenceNs;
    this.longestPauseNs = longestPauseNs;
    this.nanoClock = nanoClock;
  }

  private Contact contact(NodeAddress pool) {
    return contacts.computeIfAbsent(pool, p -> new Contact());
  }

  /** Runs a fetch that asks these pools, and that was submitted now. */
  void submit(Set<NodeAddress> pools, Fetch fetch) {
    submit(pools, nanoClock.getAsLong(), fetch);
  }

  private void submit(Set<NodeAddress> pools, long submittedNs, Fetch fetch) {
    for (NodeAddress pool : pools) {
      Contact contact = contact(pool);
      Attempt attempt;
      synchronized (contact) {
        if (contact.attempt != null) {
          contact.attempt.waiting.add(() -> submit(pools, submittedNs, fetch));
          return;
        }
        if (contact.answers || contact.isLeftAlone(submittedNs, nanoClock.getAsLong())) {
          continue;
        }
        attempt = new Attempt(fetch);
        contact.attempt = attempt;
      }
      if (!begin(first, fetch, () -> runAlone(pool, attempt))) {
        end(contact, attempt);
      }
      return;
    }
    begin(others, fetch, fetch::run);
  }

  /** Whether there is a thread for it. */
  private static boolean begin(Executor executor, Fetch fetch, Runnable work) {
    try {
      executor.execute(work);
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      fetch.leave(e);
      return false;
    }
  }

  private void runAlone(NodeAddress pool, Attempt attempt) {
    Contact contact = contact(pool);
    try {
      if (begin(
          work -> watch(contact, attempt, work), attempt.fetch, () -> giveUp(pool, attempt))) {
        attempt.fetch.run();
      }
    } finally {
      end(contact, attempt); // if it has neither answered nor failed, the next one asks it
    }
  }

  private void watch(Contact contact, Attempt attempt, Runnable atDeadline) {
    synchronized (contact) {
      if (contact.attempt == attempt) { // else another fetch has heard from the pool
        attempt.sinceNs = nanoClock.getAsLong();
        attempt.deadline = deadlines.schedule(atDeadline, longestSilenceNs);
      }
    }
  }

  private void giveUp(NodeAddress pool, Attempt attempt) {
    Contact contact = contact(pool);
    boolean asks;
    long sinceNs;
    synchronized (contact) {
      if (contact.attempt != attempt) {
        return; // it has answered, or failed
      }
      asks = attempt.asks;
      sinceNs = attempt.sinceNs;
      long leftNs = longestSilenceNs - (nanoClock.getAsLong() - sinceNs);
      if (asks && leftNs > 0) {
        attempt.deadline = deadlines.schedule(() -> giveUp(pool, attempt), leftNs);
        return;
      }
    }
    if (!asks) { // another pool keeps the fetch, so that the next one asks this one
      end(contact, attempt);
    } else if (failed(pool, sinceNs)) {
      LOG.warn(
          "The pool of {} has not answered in time; what waits for it does without", pool.name());
    }
  }

  /** A fetch asks a pool now, or has heard from it that it will get what it wants. */
  void asks(NodeAddress pool, Fetch fetch) {
    Contact contact = contact(pool);
    synchronized (contact) {
      if (contact.attempt != null && contact.attempt.fetch == fetch) {
        contact.attempt.asks = true;
        contact.attempt.sinceNs = nanoClock.getAsLong();
      }
    }
  }

  /** Lets go on what waits for an attempt, unless that was done before. */
  private static void end(Contact contact, Attempt attempt) {
    synchronized (contact) {
      if (attempt == null || contact.attempt != attempt) {
        return;
      }
      contact.attempt = null;
      if (attempt.deadline != null) {
        attempt.deadline.cancel(false); // it would keep what the fetches hold
      }
    }
    Runnable waiting;
    while ((waiting = attempt.waiting.poll()) != null) { // nothing is added any more
      try {
        waiting.run();
      } catch (RuntimeException | Error e) { // of one task, which the others must not wait for
        SafeLog.warn(LOG, "A fetch that waited for {} has failed", "a first answer", e);
      }
    }
  }

  /** Whether a fetch that was submitted then is not to ask a pool now. */
  boolean isLeftAlone(NodeAddress pool, long submittedNs) {
    Contact contact = contact(pool);
    synchronized (contact) {
      return contact.isLeftAlone(submittedNs, nanoClock.getAsLong());
    }
  }

  /** A pool has given something that it was asked for, or has said that it is busy. */
  void answered(NodeAddress pool) {
    Contact contact = contact(pool);
    Attempt attempt;
    synchronized (contact) {
      contact.answers = true;
      contact.failures = 0;
      attempt = contact.attempt;
    }
    end(contact, attempt);
  }

  /**
   * A pool could not be read.
   *
   * @param askedNs when it was asked for what it did not give
   * @return whether it answered before, so that this is news
   */
  boolean failed(NodeAddress pool, long askedNs) {
    Contact contact = contact(pool);
    Attempt attempt;
    boolean isNews;
    synchronized (contact) {
      if (contact.failures > 0 && askedNs - contact.failedNs < 0) {
        return false; // asked at the same time as the fetch that failed first
      }
      contact.answers = false;
      contact.failedNs = nanoClock.getAsLong();
      contact.tookNs = contact.failedNs - askedNs;
      long longerNs = contact.failures == 0 ? 0 : 2 * contact.pauseNs;
      long pauseNs = contact.tookNs < COSTLY_NS ? 0 : Math.max(contact.tookNs, longerNs);
      contact.pauseNs = Math.min(pauseNs, longestPauseNs);
      isNews = contact.failures++ == 0;
      attempt = contact.attempt;
    }
    end(contact, attempt);
    return isNews;
  }
}
