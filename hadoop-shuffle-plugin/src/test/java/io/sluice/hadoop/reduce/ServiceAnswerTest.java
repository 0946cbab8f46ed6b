package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.reduce.FetchException.Scope;
import io.sluice.hadoop.reduce.FetchFailures.Kind;
import io.sluice.hadoop.reduce.FetchOutcome.Lost;
import io.sluice.hadoop.reduce.FetchOutcome.Unable;
import io.sluice.hadoop.reduce.FetchOutcome.Unasked;
import io.sluice.hadoop.reduce.FetchOutcome.Waiting;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.hadoop.reduce.ServiceAnswer.State;
import io.sluice.hadoop.testing.TestJob;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of what a service and a ShuffleHandler say of an output, and of the outcome. */
final class ServiceAnswerTest {
  private static final List<TaskAttemptID> MAPS = List.of(TestJob.map(0, 0));
  private static final IOException OWN = new IOException("for a test");
  private static final HostFetcher.Settings SETTINGS =
      new HostFetcher.Settings(
          0,
          null,
          FallbackPolicy.AUTO,
          new ServicePorts(1),
          new FetchPolicy(10, true, 5, 60_000, 180_000, 30_000, 1_000, 3),
          60_000,
          1,
          false);

  /** How a ShuffleHandler does not give an output. */
  private enum Stock {
    GONE,
    REFUSED,
    CONNECT,
    READ;

    FetchException failure() throws IOException {
      return switch (this) {
        case GONE -> refused("Could not find output/x in any of the directories");
        case REFUSED -> refused("too many open files");
        case CONNECT -> FetchException.ofNode(Kind.CONNECT, "for a test", null);
        case READ -> FetchException.damaged(Scope.OUTPUT, "for a test", null);
      };
    }

    private static FetchException refused(String reason) throws IOException {
      return FetchException.refused(
          URI.create("http://node1:13562/mapOutput").toURL(), 500, "Internal Server Error", reason);
    }
  }

  private static ServiceAnswer answer(State state) {
    return state == State.UNASKED ? ServiceAnswer.unasked(OWN) : ServiceAnswer.of(state);
  }

  @ParameterizedTest
  @CsvSource({
    "ABSENT, GONE, Lost, , ",
    "ABSENT, REFUSED, Waiting, REFUSED, 0",
    "ABSENT, CONNECT, Waiting, CONNECT, 180000",
    "ABSENT, READ, Waiting, READ, 30000",
    "BUSY, GONE, Unasked, , ",
    "BUSY, REFUSED, Unasked, , ",
    "BUSY, CONNECT, Unasked, , ",
    "BUSY, READ, Unasked, , ",
    "MISSING, GONE, Waiting, WAITED, 60000",
    "MISSING, CONNECT, Waiting, CONNECT, 180000",
    "SILENT, GONE, Waiting, WAITED, 60000",
    "SILENT, REFUSED, Waiting, WAITED, 60000",
    "SILENT, CONNECT, Waiting, CONNECT, 180000",
    "SILENT, READ, Waiting, READ, 30000",
    "UNASKED, GONE, Unable, , ",
    "UNASKED, REFUSED, Unable, , ",
    "UNASKED, CONNECT, Unable, , ",
    "UNASKED, READ, Waiting, READ, 30000"
  })
  void behindAFailureOfStock(State state, Stock stock, String outcome, Kind kind, Long patienceMs)
      throws IOException {
    FetchException failure = stock.failure();
    FetchOutcome expected =
        switch (outcome) {
          case "Lost" -> new Lost(MAPS);
          case "Unasked" -> new Unasked(MAPS);
          case "Unable" -> new Unable(MAPS, 60_000, OWN);
          default -> new Waiting(MAPS, kind, patienceMs, failure.getMessage());
        };
    assertEquals(expected, answer(state).afterStock(MAPS, failure, SETTINGS));
  }

  @ParameterizedTest
  @CsvSource({
    "ABSENT, Lost",
    "BUSY, Unasked",
    "MISSING, Waiting",
    "SILENT, Waiting",
    "UNASKED, Unable"
  })
  void whereStockIsNotAsked(State state, String outcome) {
    FetchOutcome expected =
        switch (outcome) {
          case "Lost" -> new Lost(MAPS);
          case "Unasked" -> new Unasked(MAPS);
          case "Unable" -> new Unable(MAPS, 60_000, OWN);
          default -> new Waiting(MAPS, Kind.WAITED, 60_000, "never");
        };
    assertEquals(expected, answer(state).withoutStock(MAPS, "never", SETTINGS));
  }
}
