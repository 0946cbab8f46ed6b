package io.sluice.hadoop.shuffle;

import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeBusyException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.util.Progressable;

/**
 * Tells the ApplicationMaster which map to run again when an output turns out to be lost or damaged
 * while it is merged, so that the next attempt of this reduce does not run into the same.
 *
 * <p>Where a failure does not say whose output it was, reading all of them to the end tells.
 *
 * <p>Thread contract: one thread, which no longer merges. Ownership: closes the runs that it reads.
 * Failure: none of its own; what goes wrong is suppressed in the failure it looks into.
 */
final class LostOutputs {
  private static final int READ_BYTES = 64 << 10;

  private final List<FetchedRun> runs;
  private final Progressable progressable;
  private final Report report;

  /** How the ApplicationMaster hears of it. */
  @FunctionalInterface
  interface Report {
    /** The output of this map attempt is lost for certain. */
    void outputLost(TaskAttemptID map) throws IOException;
  }

  /** Looks for the culprit among {@code runs}. */
  LostOutputs(List<FetchedRun> runs, Progressable progressable, Report report) {
    this.runs = runs;
    this.progressable = progressable;
    this.report = report;
  }

  /** Reports the output that {@code failure} is about, if any, and returns what to throw. */
  IOException report(IOException failure) {
    if (failure instanceof NodeBusyException) {
      return failure; // no output is lost by it
    }
    FetchFailedException lost =
        failure instanceof FetchFailedException known ? known : investigate(failure);
    if (lost == null) {
      return failure;
    }
    try {
      report.outputLost(TaskAttemptID.forName(lost.outputId()));
    } catch (IOException | RuntimeException e) {
      lost.addSuppressed(e);
    }
    return lost;
  }

  private FetchFailedException investigate(IOException failure) {
    byte[] buffer = new byte[READ_BYTES];
    for (FetchedRun run : runs) {
      try (var input = run.input()) {
        while (input.read(buffer, 0, buffer.length) >= 0) {
          progressable.progress();
        }
      } catch (FetchFailedException e) {
        e.addSuppressed(failure);
        return e;
      } catch (IOException | RuntimeException e) {
        failure.addSuppressed(e);
      }
    }
    return null;
  }
}
