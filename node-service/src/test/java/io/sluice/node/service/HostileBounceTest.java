package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.BounceSlots.BounceRange;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reader that asks for what is not its own, or keeps what others need. */
class HostileBounceTest extends BounceTestBase {
  private static final int LENGTH_BYTES = 100_000;

  @BeforeEach
  void startAndCommit() throws IOException {
    startRefusing(RDMA, new TcpProvider());
    commitSingles(1, LENGTH_BYTES);
    try (SocketClient task = task("application_1_0002")) {
      TestOutput.single(new Random(2), "attempt_of_another", LENGTH_BYTES)
          .commit("application_1_0002", task);
    }
  }

  private static BounceRequest request(
      String transport, String output, int partition, int run, long offset, int length) {
    return new BounceRequest(transport, output, partition, run, offset, length, 0);
  }

  private void assertRefused(RemoteClient client, RemoteError.Code code, BounceRequest request) {
    RemoteError e =
        assertThrows(
            RemoteError.class, () -> client.bounce(request, TIMEOUT_MS), request.toString());
    assertEquals(code, e.code(), e.getMessage());
  }

  @Test
  void onlyBytesOfOwnOutputsAreStaged() throws IOException {
    RemoteError.Code refused = RemoteError.Code.REFUSED;
    RemoteError.Code bad = RemoteError.Code.BAD_REQUEST;
    int slot = WINDOW_BYTES;
    try (RemoteClient client = control()) {
      assertRefused(client, refused, request("rdma", "attempt_of_another", 0, 0, 0, 1));
      assertRefused(client, refused, request("rdma", "absent", 0, 0, 0, 1));
      assertRefused(client, refused, request("tcp", "attempt_0", 0, 0, 0, 1));
      assertRefused(client, refused, request("", "attempt_0", 0, 0, 0, 1));
      assertRefused(client, refused, request("rdma", "../attempt_0", 0, 0, 0, 1));
      assertRefused(client, bad, request("rdma", "attempt_0", 1, 0, 0, 1));
      assertRefused(client, bad, request("rdma", "attempt_0", -1, 0, 0, 1));
      assertRefused(client, bad, request("rdma", "attempt_0", 0, 1, 0, 1));
      assertRefused(client, bad, request("rdma", "attempt_0", 0, -1, 0, 1));
      assertRefused(client, bad, request("rdma", "attempt_0", 0, 0, -1, 1));
      assertRefused(client, bad, request("rdma", "attempt_0", 0, 0, LENGTH_BYTES, 1));
      assertRefused(client, bad, request("rdma", "attempt_0", 0, 0, LENGTH_BYTES - 1, 2));
      assertRefused(client, bad, request("rdma", "attempt_0", 0, 0, Long.MAX_VALUE, slot));
      assertRefused(client, bad, request("rdma", "attempt_0", 0, 0, 0, 0));
      assertRefused(client, bad, request("rdma", "attempt_0", 0, 0, 0, -1));
      assertRefused(client, bad, request("rdma", "attempt_0", 0, 0, 0, slot + 1));
      assertEquals(0, counters().slotsInUse());
      assertEquals(0, counters().reads());
      client.bounce(request("rdma", "attempt_0", 0, 0, LENGTH_BYTES - 1, 1), TIMEOUT_MS);
      assertEquals(1, counters().slotsInUse());
    }
    awaitAllSlotsFree();
  }

  @Test
  void nobodyHoldsMoreThanAShareAndNobodyWaitsWhoHoldsAny() throws IOException {
    assertEquals(SLOTS, BounceSlots.MAX_PER_READER);
    try (RemoteClient greedy = control();
        RemoteClient other = control()) {
      BounceRange first = greedy.bounce(firstBytes("attempt_0", 10), TIMEOUT_MS);
      for (int i = 1; i < SLOTS; i++) {
        greedy.bounce(firstBytes("attempt_0", 10), TIMEOUT_MS);
      }
      assertRefused(greedy, RemoteError.Code.BUSY, firstBytes("attempt_0", 10));
      assertEquals(0, counters().refusals());
      assertRefused(other, RemoteError.Code.BUSY, request("rdma", "attempt_0", 0, 0, 0, 10));
      assertEquals(1, counters().refusals());
      greedy.release(first.ticket());
      BounceRange again = other.bounce(firstBytes("attempt_0", 10), TIMEOUT_MS);
      assertEquals(first.offsetBytes(), again.offsetBytes());
    }
    awaitAllSlotsFree();
  }

  @Test
  void aSlotIsGivenBackOnceAndByItsHolder() throws IOException {
    try (RemoteClient holder = control();
        RemoteClient thief = control()) {
      BounceRange range = holder.bounce(firstBytes("attempt_0", 10), TIMEOUT_MS);
      thief.release(range.ticket());
      assertThrows(IOException.class, () -> thief.bounce(firstBytes("attempt_0", 10), TIMEOUT_MS));
      assertEquals(1, counters().slotsInUse());
      holder.release(range.ticket());
      holder.release(range.ticket());
      IOException e =
          assertThrows(
              IOException.class, () -> holder.bounce(firstBytes("attempt_0", 10), TIMEOUT_MS));
      assertTrue(!(e instanceof RemoteError), e.toString());
    }
    awaitAllSlotsFree();
  }

  @Test
  void whatAnEndedApplicationLeftIsNotStaged() throws IOException {
    try (RemoteClient client = control()) {
      client.bounce(firstBytes("attempt_0", 10), TIMEOUT_MS);
      service.applicationStopped(APP);
      assertRefused(client, RemoteError.Code.REFUSED, firstBytes("attempt_0", 10));
    }
  }
}
