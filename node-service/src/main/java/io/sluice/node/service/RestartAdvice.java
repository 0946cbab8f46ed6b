package io.sluice.node.service;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.verbs.RdmaAddresses.Missed;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log that a service should be restarted, because a better transport than its own works
 * by now: a port has come up, or got its address, after the service had chosen. The service goes on
 * as it is. It would have to register its whole pool while tasks write to it, and has planned no
 * memory for the bounce buffers of another transport.
 *
 * <p>Thread contract: safe from any thread. It opens the devices, if a port is up, on a daemon
 * thread of its own, because a sick device may hang. Failure: none.
 */
final class RestartAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(RestartAdvice.class);

  /** It looks no more often than this. */
  static final long PERIOD_NS = TimeUnit.MINUTES.toNanos(1);

  private static final long IDLE_MS = 1_000;

  private final String chosen;
  private final Supplier<TransportProvider> better;
  private final Supplier<Optional<Missed>> obstacle;
  private final Executor executor;
  private final LongSupplier nanoClock;
  private long lookedNs; // guarded by this, like the rest
  private boolean looking;
  private boolean given;

  /**
   * Advises nothing yet.
   *
   * @param chosen the name of the transport that the service chose just now
   * @param better makes the provider of the better one; each finds out once whether it works
   * @param obstacle why readers would not reach it all the same
   */
  RestartAdvice(
      String chosen, Supplier<TransportProvider> better, Supplier<Optional<Missed>> obstacle) {
    this(
        chosen,
        better,
        obstacle,
        DaemonThreads.executor("sluice-restart-advice", IDLE_MS),
        System::nanoTime);
  }

  /** The same on a thread of the given executor, by the given clock. */
  RestartAdvice(
      String chosen,
      Supplier<TransportProvider> better,
      Supplier<Optional<Missed>> obstacle,
      Executor executor,
      LongSupplier nanoClock) {
    this.chosen = chosen;
    this.better = better;
    this.obstacle = obstacle;
    this.executor = executor;
    this.nanoClock = nanoClock;
    this.lookedNs = nanoClock.getAsLong();
  }

  /**
   * Looks on a thread of its own whether the better transport works, unless it has looked lately;
   * says so once. Does not wait.
   */
  synchronized void look() {
    long nowNs = nanoClock.getAsLong();
    if (given || looking || nowNs - lookedNs < PERIOD_NS) {
      return;
    }
    lookedNs = nowNs;
    looking = true;
    try {
      executor.execute(this::lookNow);
    } catch (RuntimeException | Error e) { // for want of memory or threads
      looking = false;
      SafeLog.warn(LOG, "Cannot look whether a better transport than {} works", chosen, e);
    }
  }

  private void lookNow() {
    boolean works = false;
    try {
      TransportProvider provider = better.get();
      works = provider.isAvailable();
      if (works) {
        advise(provider.name());
      }
    } finally {
      synchronized (this) {
        looking = false;
        given = works;
      }
    }
  }

  private void advise(String name) {
    Optional<Missed> missed = obstacle.get();
    LOG.warn(
        "Transport {} works by now, but this service chose {} when it started and goes on with it;"
            + " {}restart it to serve over {}",
        name,
        chosen,
        missed.map(why -> why.cause() + "; " + why.fix() + ", then ").orElse(""),
        name);
  }
}
