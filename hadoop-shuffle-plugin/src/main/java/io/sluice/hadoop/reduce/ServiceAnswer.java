package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchOutcome.Lost;
import io.sluice.hadoop.reduce.FetchOutcome.Unable;
import io.sluice.hadoop.reduce.FetchOutcome.Unasked;
import io.sluice.hadoop.reduce.FetchOutcome.Waiting;
import io.sluice.hadoop.reduce.HostFetcher.Settings;
import io.sluice.node.wire.FailureMeaning;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * What a node's Sluice service said of outputs that it did not locate, and what it means that the
 * node's ShuffleHandler does not give them either.
 *
 * <p>Thread contract: immutable. Failure: none.
 *
 * @param own why the service could not be asked, where this reduce is at fault; else null
 */
record ServiceAnswer(State state, IOException own) {
  /** What the service said. */
  enum State {
    /** It does not hold the outputs. */
    ABSENT,
    /** It is busy, and may hold them. */
    BUSY,
    /** Nothing: nobody listens there. */
    MISSING,
    /** Nothing, or nothing that can be believed. */
    SILENT,
    /** Nothing: this reduce is at fault that the service could not be asked. */
    UNASKED
  }

  static ServiceAnswer of(State state) {
    return new ServiceAnswer(state, null);
  }

  static ServiceAnswer unasked(IOException own) {
    return new ServiceAnswer(State.UNASKED, own);
  }

  boolean isAbsent() {
    return state == State.ABSENT;
  }

  /** What follows for outputs whose ShuffleHandler is not asked, as {@code refusal} says. */
  FetchOutcome withoutStock(List<TaskAttemptID> maps, String refusal, Settings settings) {
    return switch (state) {
      case UNASKED -> new Unable(maps, settings.restartMs(), own);
      case BUSY -> new Unasked(maps);
      case ABSENT -> new Lost(maps);
      case MISSING, SILENT -> new Waiting(maps, Kind.WAITED, settings.restartMs(), refusal);
    };
  }

  /** What follows for outputs that the ShuffleHandler did not give. */
  FetchOutcome afterStock(List<TaskAttemptID> maps, FetchException failure, Settings settings) {
    if (isAbsent() && failure.isAbsent()) {
      return new Lost(maps);
    }
    if (state == State.BUSY) {
      return new Unasked(maps); // the service may hold them
    }
    if (state == State.UNASKED && failure.kind() != Kind.READ) {
      return new Unable(maps, settings.restartMs(), own);
    }
    if (failure.getCause() instanceof IOException cause && FailureMeaning.isShort(cause)) {
      return new Unable(maps, settings.restartMs(), failure);
    }
    return waiting(maps, failure, settings);
  }

  /**
   * The output is tried again for as long as stock's Fetcher does. Where it may be with Sluice's
   * service, which does not answer, the service is waited for.
   */
  private Waiting waiting(List<TaskAttemptID> maps, FetchException failure, Settings settings) {
    Kind kind = failure.kind();
    long patienceMs =
        switch (kind) {
          case CONNECT, UNREACHED ->
              Math.max(settings.policy().connectMs(), settings.restartMs()); // its node may restart
          case READ -> settings.policy().retryMs();
          case REFUSED, WAITED, OWN -> 0;
        };
    if (!isAbsent() && kind != Kind.READ) {
      patienceMs = Math.max(patienceMs, settings.restartMs());
      kind = kind == Kind.REFUSED ? Kind.WAITED : kind;
    }
    return new Waiting(maps, kind, patienceMs, failure.getMessage());
  }
}
