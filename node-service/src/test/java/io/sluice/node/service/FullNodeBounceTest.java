package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A service with slots for whoever gets a connection to ask for one, and one connection for all.
 *
 * <p>The defect was: a reader took the refused connection for a lack of slots, and blamed the
 * output at the second refusal.
 */
class FullNodeBounceTest extends BounceTestBase {
  private static final int OUTPUT_BYTES = 300_000;
  private TestOutput output;

  @BeforeEach
  void startFull() throws IOException {
    ConnectionLimits some = ConnectionLimits.DEFAULT;
    limit(
        new ConnectionLimits(
            1, some.maxUnauthenticated(), some.authenticationTimeoutMs(), some.idleTimeoutMs()));
    startRefusing(RDMA, new TcpProvider());
    output = commitSingles(1, OUTPUT_BYTES).get(0);
  }

  private void assertBounced(NodeReader reader) {
    assertEquals(OUTPUT_BYTES, reader.stats().bouncedBytes());
    assertEquals(0, reader.stats().bytes("tcp"));
    assertEquals(0, reader.stats().bounceRefusals());
    assertEquals(0, reader.stats().retries());
    assertEquals(0, reader.stats().transportFallbacks());
  }

  /** It has asked on the one connection where the output lies, and keeps it for more questions. */
  @Test
  void aReaderIsNotInItsOwnWay() throws IOException {
    try (NodeReader reader = reader(4, null, TIMEOUT_MS, RDMA)) {
      assertArrayEquals(output.runs().get(0), readAll(locateOnly(reader, output.id())));
      assertBounced(reader);
    }
  }

  @Test
  void aFullNodeIsNoReasonToGoAnotherWay() throws IOException {
    try (NodeReader reader = rdmaReader(4)) {
      assertArrayEquals(output.runs().get(0), readAll(locateOnly(reader, output.id())));
      assertBounced(reader);
    }
  }

  /** The other one tries without a pause, so it is almost always first; either way all is read. */
  @Test
  void whoIsRefusedWaitsUntilAnotherReaderHasGone() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (NodeReader reader = reader(4, null, TIMEOUT_MS, RDMA);
        NodeRun run = locateOnly(reader, output.id())) {
      Future<RemoteClient> other = threads.submit(this::connectAtLast);
      Future<byte[]> reading = threads.submit(() -> readSome(run, OUTPUT_BYTES));
      RemoteClient holder = other.get();
      try {
        long before = reader.stats().nodeRefusals();
        Await.until(
            "the reader is refused, or has read",
            () -> reading.isDone() || reader.stats().nodeRefusals() > before + 1);
      } finally {
        holder.close();
      }
      assertArrayEquals(output.runs().get(0), reading.get());
      assertBounced(reader);
    } finally {
      threads.shutdown();
      threads.awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }
  }

  private RemoteClient connectAtLast() throws IOException {
    while (true) {
      try {
        return control();
      } catch (RemoteError e) {
        if (e.code() != RemoteError.Code.BUSY) {
          throw e;
        }
      }
    }
  }
}
