package io.sluice.hadoop.reduce;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.mapred.Reporter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares between the fetchers of a reducer which services have answered. It logs a host without a
 * service once, and counts fetches from stock in the job's counters. When one fetcher has waited
 * for a service in vain, the others do not wait for it for a while.
 *
 * <p>Thread contract: safe from any thread. Failure: none.
 */
final class FetchLog {
  private static final Logger LOG = LoggerFactory.getLogger(FetchLog.class);

  private static final long LONGEST_SILENCE_MS = 120_000;

  private final Reporter reporter;
  private final LongSupplier nanoClock;
  private final long silenceNs;
  private final Set<String> hostsWithoutService = new HashSet<>();
  private final Map<String, Long> silentUntilNs = new HashMap<>();
  private boolean accepted;

  /**
   * Knows nothing yet.
   *
   * @param restartMs how long to wait for an output of a silent service; the service is asked again
   *     three times within that time, or more often
   */
  FetchLog(Reporter reporter, LongSupplier nanoClock, long restartMs) {
    this.reporter = reporter;
    this.nanoClock = nanoClock;
    this.silenceNs = TimeUnit.MILLISECONDS.toNanos(Math.min(LONGEST_SILENCE_MS, restartMs / 3));
  }

  /** A service has answered this reduce, so the reduce has the right secret and protocol. */
  synchronized void accepted() {
    accepted = true;
  }

  /** Whether a service has answered. If so, a service that refuses this reduce is at fault. */
  synchronized boolean isAccepted() {
    return accepted;
  }

  /** The host's service was waited for, and did not answer. */
  synchronized void fellSilent(String host) {
    silentUntilNs.put(host, nanoClock.getAsLong() + silenceNs);
  }

  /** Whether the host's service fell silent lately, so that it is not asked now. */
  synchronized boolean isSilent(String host) {
    Long untilNs = silentUntilNs.get(host);
    if (untilNs == null || untilNs - nanoClock.getAsLong() > 0) {
      return untilNs != null;
    }
    silentUntilNs.remove(host);
    return false;
  }

  /**
   * Says once for each host that no service answers there.
   *
   * @param then what becomes of its outputs
   */
  synchronized void serviceMissing(String host, IOException cause, String then) {
    if (hostsWithoutService.add(host)) {
      LOG.info("No Sluice service answers at {} ({}); {}", host, ErrorText.of(cause), then);
    }
  }

  /** An output came from a ShuffleHandler, in so many bytes. */
  void fetchedFromStock(long travelledBytes) {
    SluiceCounter.FALLBACK_FETCH_TO_HTTP.add(reporter, 1);
    SluiceCounter.READ_BYTES_HTTP.add(reporter, travelledBytes);
  }
}
