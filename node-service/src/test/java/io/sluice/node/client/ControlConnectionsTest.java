package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.testing.TestOutput;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ControlConnectionsTest extends NodeTestBase {
  private int connected;
  private final ControlConnections connections = connections(3_600_000);

  private ControlConnections connections(long answerMs) {
    return new ControlConnections(this::connect, answerMs);
  }

  private RemoteClient connect() throws IOException {
    connected++;
    return RemoteClient.connect(address().control(), APP, SECRET, TIMEOUT_MS);
  }

  private int outputsOf(PartitionRange partitions) throws IOException {
    return connections.ask(
        client ->
            client
                .describe(partitions, List.of("attempt_0"), 0, PoolPaths.ELSEWHERE)
                .runs()
                .size());
  }

  @Test
  void questionsOneAfterTheOtherShareAConnection() throws IOException {
    startWithAnOutput();
    try (connections) {
      assertEquals(1, outputsOf(PartitionRange.one(0)));
      assertThrows(RemoteError.class, () -> outputsOf(PartitionRange.one(1)));
      assertEquals(1, outputsOf(PartitionRange.one(0)));
      assertEquals(1, connected);
    }
  }

  @Test
  void questionsAtTheSameTimeHaveConnectionsOfTheirOwn() throws IOException {
    startWithAnOutput();
    try (connections) {
      int inner = connections.ask(client -> outputsOf(PartitionRange.one(0)));
      assertEquals(1, inner);
      assertEquals(2, connected);
      outputsOf(PartitionRange.one(0));
      assertEquals(2, connected);
    }
  }

  @Test
  void aConnectionThatTheServiceHasEndedIsReplaced() throws IOException {
    startWithAnOutput();
    try (connections) {
      assertEquals(1, outputsOf(PartitionRange.one(0)));
      service.close();
      assertThrows(IOException.class, () -> outputsOf(PartitionRange.one(0)));
      startWithAnOutput();
      assertEquals(1, outputsOf(PartitionRange.one(0)));
      assertEquals(3, connected);
    }
  }

  /** Its place was given to another reader between two parts of the question. */
  @Test
  void aQuestionOfWhichAPartWasAnsweredIsAskedAgain() throws IOException {
    startWithAnOutput();
    int[] times = {0};
    try (connections) {
      int answer =
          connections.ask(
              client -> {
                describe(client);
                if (++times[0] == 1) {
                  throw new EOFException("expected by this test");
                }
                return times[0];
              });
      assertEquals(2, answer);
      assertEquals(2, connected);
    }
  }

  /** By its clock: another one would last as long, and the service would do all again for it. */
  @Test
  void aServiceThatEndsItLateIsNotAskedAgain() throws IOException {
    startWithAnOutput();
    try (ControlConnections late = connections(0)) {
      assertThrows(EOFException.class, () -> late.ask(this::describeAndEnd));
      assertEquals(1, connected);
      late.ask(this::describe); // its connection is kept
      assertEquals(2, connected);
      assertThrows(EOFException.class, () -> late.ask(this::describeAndEnd));
      assertEquals(2, connected);
    }
  }

  private OutputLocations describe(RemoteClient client) throws IOException {
    return client.describe(PartitionRange.one(0), List.of("attempt_0"), 0, PoolPaths.ELSEWHERE);
  }

  private OutputLocations describeAndEnd(RemoteClient client) throws IOException {
    describe(client);
    throw new EOFException("expected by this test");
  }

  @Test
  void aQuestionThatNothingIsAnsweredOfHasFailed() throws IOException {
    startWithAnOutput();
    try (connections) {
      assertThrows(
          EOFException.class,
          () ->
              connections.ask(
                  client -> {
                    throw new EOFException("expected by this test");
                  }));
      assertEquals(1, connected);
    }
  }

  /** An answer that was not taken would be the next question's. */
  @Test
  void anErrorEndsTheConnectionThatItStrikes() throws IOException {
    limit(new ConnectionLimits(16, 8, TIMEOUT_MS, 10 * TIMEOUT_MS)); // the service does not
    startWithAnOutput();
    try (connections) {
      assertThrows(
          OutOfMemoryError.class,
          () ->
              connections.ask(
                  client -> {
                    throw new OutOfMemoryError("expected by this test");
                  }));
      Await.until("it has ended", () -> service.counters().connections().open() == 0);
    }
  }

  private void startWithAnOutput() throws IOException {
    start(2);
    commit(TestOutput.single(new Random(1), "attempt_0", 1000));
  }
}
