package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thing that a fetcher found out at a host. The fetcher says it to {@link FetchSchedule#apply},
 * and the schedule alone decides what follows.
 *
 * <p>Thread contract: immutable, but for the output of {@link Fetched}. Ownership: the schedule
 * closes an output that it does not keep.
 */
sealed interface FetchOutcome {
  /** An output was located in a pool, or staged on this node. */
  record Fetched(FetchedOutput output) implements FetchOutcome {}

  /**
   * These outputs cannot be had now, and may come. They have failed once that has gone on for too
   * long.
   *
   * @param patienceMs for how long it may go on, from the first time; 0 for a failure at once
   * @param cause for the log
   */
  record Waiting(List<TaskAttemptID> maps, Kind kind, long patienceMs, String cause)
      implements FetchOutcome {
    private static final Logger LOG = LoggerFactory.getLogger(FetchOutcome.class);

    /** Logs which of the outputs are asked for again, and which have failed. */
    void log(String hostName, List<TaskAttemptID> failed) {
      if (failed.size() < maps.size()) {
        LOG.info("Asking {} again later for the outputs of {}: {}", hostName, maps, cause);
      }
      if (!failed.isEmpty()) {
        LOG.warn(
            "Outputs of {} can be had neither from Sluice nor from stock at {}: {}",
            failed,
            hostName,
            cause);
      }
    }
  }

  /**
   * This reduce could not ask for these outputs, and is at fault itself. No map is blamed, and the
   * shuffle fails once that has gone on for too long.
   */
  record Unable(List<TaskAttemptID> maps, long patienceMs, IOException cause)
      implements FetchOutcome {
    /** Why the shuffle fails. */
    IOException failure(String hostName, List<TaskAttemptID> never) {
      return new IOException(
          "this reduce cannot fetch the outputs of "
              + never
              + " from "
              + hostName
              + ", for which no map is at fault: "
              + ErrorText.of(cause),
          cause);
    }
  }

  /** The host has said that it does not have these outputs; the host itself is well. */
  record Lost(List<TaskAttemptID> maps) implements FetchOutcome {}

  /** The host has delivered these outputs before, and says that it has them no more. */
  record Forgotten(List<TaskAttemptID> maps) implements FetchOutcome {}

  /** These outputs of the batch were not asked for; they are as needed as before. */
  record Unasked(List<TaskAttemptID> maps) implements FetchOutcome {}

  /**
   * The host's Sluice service is busy.
   *
   * @param reason what it says, and which setting to raise
   */
  record ServiceBusy(String reason) implements FetchOutcome {}

  /** The host's ShuffleHandler asks to come back in {@code delayMs}. */
  record HandlerBusy(long delayMs) implements FetchOutcome {}

  /** A server of the host has answered, whatever it has said of outputs. */
  enum Answered implements FetchOutcome {
    /** The Sluice service, which did not refuse. */
    SERVICE,
    /** The ShuffleHandler, also by a refusal or a reply that broke off. */
    HANDLER
  }
}
