package io.sluice.hadoop.reduce;

import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeBusyException;
import io.sluice.node.client.NodeRun;
import io.sluice.node.wire.NodeAddress;
import io.sluice.spill.cipher.ForgedRunException;
import io.sluice.spill.merge.ChecksumException;
import io.sluice.spill.merge.ClosedRunException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the ApplicationMaster which maps to run again when an output turns out to be lost or
 * damaged while it is merged, so that the next attempt of this reduce does not run into the same.
 *
 * <p>Where a failure does not say whose output it was, reading all of them to the end tells.
 *
 * <p>A node that has lost one output may have lost all, and each would cost another attempt. So it
 * is asked for every output that was located there, and then the other nodes are: what a service
 * says it does not hold is lost for certain, and nothing else is. A service that does not answer or
 * refuses, and bytes that do not come, are reported as a failed fetch of the one output.
 *
 * <p>Thread contract: one thread, which no longer merges. Ownership: closes the runs that it reads.
 * Failure: none of its own; what goes wrong is suppressed in the failure it looks into.
 */
final class LostOutputs {
  private static final Logger LOG = LoggerFactory.getLogger(LostOutputs.class);
  private static final int READ_BYTES = 64 << 10;

  private final List<FetchedRun> runs;
  private final Progressable progressable;
  private final Report report;
  private final Services services;
  private boolean reported;

  /** How the ApplicationMaster hears of it. */
  interface Report {
    /** The outputs of these map attempts are lost for certain. */
    void outputsLost(Collection<TaskAttemptID> maps) throws IOException;

    /** The output of this map attempt could not be read, this time. */
    void outputUnreadable(TaskAttemptID map) throws IOException;

    /** One of those that are lost was not encrypted by a task of the job. */
    void outputForged();
  }

  /** What the services of the nodes say. */
  @FunctionalInterface
  interface Services {
    /** Which of these outputs the node's service says it does not hold. */
    Set<String> absent(NodeAddress address, List<String> outputIds) throws IOException;
  }

  /** Looks for the culprit among {@code runs}. */
  LostOutputs(List<FetchedRun> runs, Progressable progressable, Report report, Services services) {
    this.runs = List.copyOf(runs);
    this.progressable = progressable;
    this.report = report;
    this.services = services;
  }

  /** Reports the outputs that {@code failure} is about, if any, and returns what to throw. */
  IOException report(IOException failure) {
    if (failure instanceof NodeBusyException) {
      return failure; // no output is lost by it
    }
    FetchFailedException lost =
        failure instanceof FetchFailedException known ? known : investigate(failure);
    if (lost == null || reported) {
      return lost == null ? failure : lost;
    }
    reported = true; // whoever reads on after a failure hears of it again, but nobody else does
    try {
      Set<TaskAttemptID> certain = certain(lost);
      if (certain.isEmpty()) {
        report.outputUnreadable(TaskAttemptID.forName(lost.outputId()));
      } else {
        report.outputsLost(certain);
      }
    } catch (IOException | RuntimeException e) {
      lost.addSuppressed(e);
    }
    return lost;
  }

  private Set<TaskAttemptID> certain(FetchFailedException lost) {
    if (lost.getCause() instanceof ForgedRunException) {
      report.outputForged();
      return Set.of(TaskAttemptID.forName(lost.outputId()));
    }
    if (lost.getCause() instanceof ChecksumException) {
      return Set.of(TaskAttemptID.forName(lost.outputId()));
    }
    Map<NodeAddress, Set<String>> located = located(lost.outputId());
    Set<TaskAttemptID> certain = new LinkedHashSet<>();
    for (Map.Entry<NodeAddress, Set<String>> node : located.entrySet()) {
      progressable.progress();
      try {
        services
            .absent(node.getKey(), List.copyOf(node.getValue()))
            .forEach(id -> certain.add(TaskAttemptID.forName(id)));
      } catch (IOException e) {
        LOG.info("{} does not say what it has lost: {}", node.getKey().name(), e.getMessage());
      }
      if (certain.isEmpty()) {
        break; // the node at hand has lost nothing: no reason to doubt the others
      }
    }
    return certain;
  }

  /** The outputs located at each node, that of {@code first} before all others. */
  private Map<NodeAddress, Set<String>> located(String first) {
    Map<NodeAddress, Set<String>> located = new LinkedHashMap<>();
    for (FetchedRun run : runs) {
      if (run.node() != null && run.node().outputId().equals(first)) {
        located.computeIfAbsent(run.node().address(), address -> new LinkedHashSet<>());
      }
    }
    for (FetchedRun run : runs) {
      NodeRun node = run.node();
      if (node != null) {
        located.computeIfAbsent(node.address(), a -> new LinkedHashSet<>()).add(node.outputId());
      }
    }
    return located;
  }

  private FetchFailedException investigate(IOException failure) {
    if (failure instanceof InterruptedIOException || failure instanceof ClosedRunException) {
      return null; // no output's fault
    }
    byte[] buffer = new byte[READ_BYTES];
    for (FetchedRun run : runs) {
      try (var input = run.input()) {
        while (input.read(buffer, 0, buffer.length) >= 0) {
          progressable.progress();
        }
      } catch (FetchFailedException e) {
        e.addSuppressed(failure);
        return e;
      } catch (ClosedRunException e) {
        LOG.debug("{} has been merged to its end", run.name());
      } catch (IOException | RuntimeException e) {
        if (e != failure) { // an input that has failed throws the same again
          failure.addSuppressed(e);
        }
      }
    }
    return null;
  }
}
