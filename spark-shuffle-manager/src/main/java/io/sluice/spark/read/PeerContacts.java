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
 * Knows which pools of other executors answer. The first fetch from a pool runs alone, on a thread
 * that no other pool needs. Later fetches from that pool wait without a thread until the pool has
 * answered, failed, or been silent for too long. If the first fetch does not ask the pool in time,
 * because another pool delays it, the next fetch asks. So a silent pool delays no fetch from
 * another pool.
 *
 * <p>All fetches that were submitted before a pool failed share that failure, if it took long.
 * Otherwise each of them would wait as long, one after the other. The pool then gets no requests
 * for as long as the failed fetch took, and twice as long after each further failure. After that,
 * one fetch asks it again.
 *
 * <p>Thread contract: safe from any thread. Ownership: the executors stay their owner's. Failure: a
 * fetch that gets no thread is told so, and does not begin.
 */
final class PeerContacts {
  private static final Logger LOG = LoggerFactory.getLogger(PeerContacts.class);

  /** A shorter failure delays no other fetch. */
  private static final long COSTLY_NS = TimeUnit.SECONDS.toNanos(1);

  private final Executor first;
  private final Executor others;
  private final Deadlines deadlines;
  private final long longestSilenceNs;
  private final long longestPauseNs;
  private final LongSupplier nanoClock;
  private final Map<NodeAddress, Contact> contacts = new ConcurrentHashMap<>();

  /** A fetch of blocks from some pools. */
  interface Fetch {
    /** Asks the pools, on a thread that may wait for them. */
    void run();

    /** There is no thread for the fetch, so its blocks must be fetched in another way. */
    void leave(Throwable why);
  }

  /** Runs work later, unless it is cancelled before. */
  interface Deadlines {
    /** Runs it at once if the delay is not positive. */
    Future<?> schedule(Runnable work, long delayNs);
  }

  /** The state of one pool, guarded by its own lock. */
  private static final class Contact {
    private Attempt attempt; // the fetch that runs alone; null if none does
    private boolean answers;
    private int failures; // since it last answered
    private long failedNs;
    private long tookNs;
    private long pauseNs;

    /** Whether a fetch submitted at that time must not ask the pool now. */
    private boolean isLeftAlone(long submittedNs, long nowNs) {
      boolean shared = tookNs >= COSTLY_NS && failedNs - submittedNs >= 0;
      return failures > 0 && (shared || nowNs - failedNs < pauseNs);
    }
  }

  /**
   * A fetch that runs alone, and the fetches that wait for the pool's answer; guarded by the
   * contact's lock.
   */
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
   * Knows nothing yet.
   *
   * @param first runs the first fetch from each pool
   * @param others runs all others
   * @param longestSilenceNs a pool that was asked and is silent for so long has failed
   * @param longestPauseNs most time without requests to a pool; 0 if only the pool has its blocks
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

  /** Runs a fetch of these pools, submitted now. */
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

  /** Runs the work of a fetch; false if there is no thread for it. */
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
      end(contact, attempt); // if the pool neither answered nor failed, the next fetch asks it
    }
  }

  private void watch(Contact contact, Attempt attempt, Runnable atDeadline) {
    synchronized (contact) {
      if (contact.attempt == attempt) { // otherwise another fetch has heard from the pool
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
        return; // the pool has answered or failed
      }
      asks = attempt.asks;
      sinceNs = attempt.sinceNs;
      long leftNs = longestSilenceNs - (nanoClock.getAsLong() - sinceNs);
      if (asks && leftNs > 0) {
        attempt.deadline = deadlines.schedule(() -> giveUp(pool, attempt), leftNs);
        return;
      }
    }
    if (!asks) { // another pool delays the fetch, so the next fetch asks this one
      end(contact, attempt);
    } else if (failed(pool, sinceNs)) {
      LOG.warn(
          "The pool of {} has not answered in time; waiting fetches go on without it", pool.name());
    }
  }

  /** A fetch asks a pool now, or has heard from the pool that the blocks will come. */
  void asks(NodeAddress pool, Fetch fetch) {
    Contact contact = contact(pool);
    synchronized (contact) {
      if (contact.attempt != null && contact.attempt.fetch == fetch) {
        contact.attempt.asks = true;
        contact.attempt.sinceNs = nanoClock.getAsLong();
      }
    }
  }

  /** Runs the fetches that wait for an attempt, once. */
  private static void end(Contact contact, Attempt attempt) {
    synchronized (contact) {
      if (attempt == null || contact.attempt != attempt) {
        return;
      }
      contact.attempt = null;
      if (attempt.deadline != null) {
        attempt.deadline.cancel(false); // the deadline would keep the memory of the fetches
      }
    }
    Runnable waiting;
    while ((waiting = attempt.waiting.poll()) != null) { // nothing is added any more
      try {
        waiting.run();
      } catch (RuntimeException | Error e) { // of one task; the others go on
        SafeLog.warn(LOG, "A fetch that waited for {} has failed", "a first answer", e);
      }
    }
  }

  /** Whether a fetch submitted at that time must not ask a pool now. */
  boolean isLeftAlone(NodeAddress pool, long submittedNs) {
    Contact contact = contact(pool);
    synchronized (contact) {
      return contact.isLeftAlone(submittedNs, nanoClock.getAsLong());
    }
  }

  /** A pool has given something that was asked for, or has said that it is busy. */
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
   * @param askedNs when the pool was asked for the bytes that it did not give
   * @return whether the pool had answered before this failure
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
