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
 * What the fetchers of a reducer know of their way to the bytes, together: it is in the log once
 * for each host and in the job's counters, and a service that did not answer is not waited for
 * again by each of them.
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
   * @param restartMs how long an output is waited for that such a service may have; it is asked
   *     again within that time
   */
  FetchLog(Reporter reporter, LongSupplier nanoClock, long restartMs) {
    this.reporter = reporter;
    this.nanoClock = nanoClock;
    this.silenceNs = TimeUnit.MILLISECONDS.toNanos(Math.min(LONGEST_SILENCE_MS, restartMs / 3));
  }

  /** Some service has told where an output lies, so it believes and understands this reduce. */
  synchronized void accepted() {
    accepted = true;
  }

  /** Whether any has; a service that refuses this reduce is at fault itself then. */
  synchronized boolean isAccepted() {
    return accepted;
  }

  /** The host's service was waited for, and did not answer. */
  synchronized void fellSilent(String host) {
    silentUntilNs.put(host, nanoClock.getAsLong() + silenceNs);
  }

  /** Whether that was lately, so that its service is not to be asked. */
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
