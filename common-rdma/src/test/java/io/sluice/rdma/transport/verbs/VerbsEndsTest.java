package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a client's connection when memory is short, or the device refuses to end it. */
@Timeout(300)
class VerbsEndsTest extends FakeVerbsTestBase {
  /** Some tests leave what a device has kept. */
  @AfterEach
  @Override
  void closeVerbs() {
    verbs.close();
  }

  /** As if there were no memory for its text. */
  private static IOException refusalWithoutText() {
    return new IOException() {
      private static final long serialVersionUID = 1L;

      @Override
      public String getMessage() {
        throw lackOfMemory();
      }

      @Override
      public String toString() {
        throw lackOfMemory();
      }
    };
  }

  /** Else a reader is given a connection whose native part is gone. */
  @Test
  void aConnectionThatLacksMemoryForTheCauseOfItsEndHasEnded() throws Exception {
    for (String call : new String[] {"poll", "post"}) {
      try (Pair s = new Pair()) {
        verbs.loseReads();
        verbs.fail(call, 0, refusalWithoutText());
        Throwable failure = failure(s.read());
        assertInstanceOf(ConnectionLostException.class, failure);
        assertFalse(s.connection.isOpen());
        verbs.failNoMore();
        s.connection.close();
        assertInstanceOf(ConnectionLostException.class, failure(s.read()));
      }
      assertEquals(List.of(), verbs.live(), call);
    }
  }

  @Test
  void aReadWhoseQueuePairCannotBeDestroyedForWantOfMemoryEndsWhenThereIsSome() throws Exception {
    try (Pair s = new Pair()) {
      verbs.loseReads();
      CompletableFuture<Void> first = s.read();
      CompletableFuture<Void> second = s.read();
      verbs.fail("modify to 6", 0, lackOfMemory());
      verbs.fail("destroyPair of a reader", 0, lackOfMemory());
      verbs.report("fake0", VerbsLayout.EVENT_PORT_ERR, 1);
      while (verbs.calls("destroyPair of a reader") < 2) {
        Thread.onSpinWait(); // the test's time limit ends this
      }
      assertFalse(s.connection.isOpen());
      assertFalse(first.isDone() || second.isDone());
      assertThrows(IllegalStateException.class, s.landing::close);
      verbs.failNoMore();
      assertInstanceOf(ConnectionLostException.class, failure(first));
      assertInstanceOf(ConnectionLostException.class, failure(second));
      s.landing.close();
    }
    assertEquals(List.of(), verbs.live());
  }

  /** Else the deadlines of all other connections of the endpoint wait for it. */
  @Test
  void aQueuePairThatTakesLongToBeDestroyedDelaysNoDeadline() throws Exception {
    try (Pair s = new Pair()) {
      verbs.loseReads();
      CompletableFuture<Void> first = s.read(50);
      CompletableFuture<Void> second = s.read(100);
      verbs.fail("destroyPair of a reader", 0, lackOfMemory());
      while (verbs.calls("destroyPair of a reader") < 2) {
        Thread.onSpinWait(); // the test's time limit ends this
      }
      try (Connection other = s.client.connect(s.server.address(), LONG_MS)) {
        CompletableFuture<Void> late = other.read(s.descriptor, 0, s.landing, 0, REGION_BYTES, 50);
        while (other.isOpen()) {
          Thread.onSpinWait();
        }
        assertFalse(late.isDone() || first.isDone() || second.isDone());
        verbs.failNoMore();
        assertInstanceOf(ReadTimeoutException.class, failure(late));
      }
      assertInstanceOf(ReadTimeoutException.class, failure(first));
      assertInstanceOf(ConnectionLostException.class, failure(second));
    }
    assertEquals(List.of(), verbs.live());
  }

  /** Its memory may go to another read only when the NIC writes no more. */
  @Test
  void theDestinationOfAReadThatTheNicDoesNotEndStaysHeld() throws Exception {
    Pair s = new Pair();
    verbs.loseReads();
    CompletableFuture<Void> read = s.read();
    verbs.fail("destroyPair of a reader", 0, refusal());
    verbs.fail("modify to 6", 0, refusal());
    s.connection.close();
    assertInstanceOf(ConnectionLostException.class, failure(read));
    assertThrows(IllegalStateException.class, s.landing::close);
    s.landing.unhold();
    closeWithoutItsPair(s);
  }

  @Test
  void aReadThatTheNicHasEndedReleasesItsDestinationThoughTheQueuePairIsKept() throws Exception {
    Pair s = new Pair();
    verbs.loseReads();
    CompletableFuture<Void> read = s.read();
    verbs.fail("destroyPair of a reader", 0, refusal());
    s.connection.close();
    assertInstanceOf(ConnectionLostException.class, failure(read));
    s.landing.close();
    closeWithoutItsPair(s);
  }

  /** Destroys what the connection has kept, so that the endpoint can be closed. */
  private void closeWithoutItsPair(Pair s) throws IOException {
    s.server.close();
    verbs.failNoMore();
    assertEquals(1, verbs.pairs().size());
    verbs.destroyPair(verbs.pairs().get(0));
    s.client.close();
  }
}
