package io.sluice.node.service;

import io.sluice.rdma.transport.TransportProvider;
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
 * <p>Thread contract: safe from any thread; looking opens the devices, if a port is up, and takes
 * some milliseconds. Failure: none.
 */
final class RestartAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(RestartAdvice.class);

  /** It looks no more often than this. */
  static final long PERIOD_NS = TimeUnit.MINUTES.toNanos(1);

  private final String chosen;
  private final Supplier<TransportProvider> better;
  private final LongSupplier nanoClock;
  private long lookedNs; // guarded by this, like the rest
  private boolean given;

  /**
   * Advises nothing yet.
   *
   * @param chosen the name of the transport that the service chose just now
   * @param better makes the provider of the better one; each finds out once whether it works
   */
  RestartAdvice(String chosen, Supplier<TransportProvider> better) {
    this(chosen, better, System::nanoTime);
  }

  /** The same by the given clock. */
  RestartAdvice(String chosen, Supplier<TransportProvider> better, LongSupplier nanoClock) {
    this.chosen = chosen;
    this.better = better;
    this.nanoClock = nanoClock;
    this.lookedNs = nanoClock.getAsLong();
  }

  /** Looks whether the better transport works, unless it has looked lately; says so once. */
  synchronized void look() {
    long nowNs = nanoClock.getAsLong();
    if (given || nowNs - lookedNs < PERIOD_NS) {
      return;
    }
    lookedNs = nowNs;
    TransportProvider provider = better.get();
    if (provider.isAvailable()) {
      given = true;
      LOG.warn(
          "Transport {} works by now, but this service chose {} when it started and goes on with"
              + " it; restart it to serve over {}",
          provider.name(),
          chosen,
          provider.name());
    }
  }
}
