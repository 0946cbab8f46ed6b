package io.sluice.hadoop.reduce;

import io.sluice.hadoop.SluiceCounter;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.mapred.Reporter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the fetchers of a reducer say of their way to the bytes, together: in the log once for each
 * host, and in the job's counters.
 *
 * <p>Thread contract: safe from any thread. Failure: none.
 */
final class FetchNotes {
  private static final Logger LOG = LoggerFactory.getLogger(FetchNotes.class);

  private final Reporter reporter;
  private final Set<String> hostsWithoutService = new HashSet<>();

  FetchNotes(Reporter reporter) {
    this.reporter = reporter;
  }

  /**
   * Says once for each host that no service answers there.
   *
   * @param then what becomes of its outputs
   */
  synchronized void serviceMissing(String host, IOException cause, String then) {
    if (hostsWithoutService.add(host)) {
      LOG.info("No Sluice service answers at {} ({}); {}", host, cause.getMessage(), then);
    }
  }

  /** An output came from a ShuffleHandler, in so many bytes. */
  void fetchedFromStock(long travelledBytes) {
    SluiceCounter.FALLBACK_FETCH_TO_HTTP.add(reporter, 1);
    SluiceCounter.READ_BYTES_HTTP.add(reporter, travelledBytes);
  }
}
