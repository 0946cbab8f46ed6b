package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.remote.TransportOffer;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When data connections end of which nothing is wanted now. */
@Timeout(300)
class DataLinksIdleTest {
  private static final TransportOffer OFFER = new TransportOffer("a", "host", 1, 4096);

  private final AtomicInteger closes = new AtomicInteger();
  private final LinkLimit limit = new LinkLimit(2);

  /** Does not end within its time, as an RDMA connection may. */
  private final class Unending extends UnreadConnection {
    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {
      closes.incrementAndGet();
      throw new IllegalStateException("expected by this test");
    }
  }

  private final DataLinks links =
      new DataLinks(
          new DataLinks.Connector() {
            @Override
            public Ticket admit(String transport) {
              return new Ticket(1, 2);
            }

            @Override
            public Connection connect(TransportOffer offer, Ticket ticket) {
              return new Unending();
            }
          },
          limit,
          0);

  @Test
  void aConnectionThatDoesNotEndKeepsNoOtherOpen() throws Exception {
    links.connect(List.of(OFFER));
    links.connect(List.of(new TransportOffer("b", "host", 2, 4096)));
    Await.until(
        "both have been ended",
        () -> {
          try {
            links.closeIdle();
          } catch (IllegalStateException e) {
            // of the connection
          }
          return links.count() == 0;
        });
    assertEquals(2, closes.get());
  }

  @Test
  void aConnectionThatDoesNotEndKeepsNoOtherOpenAtTheEnd() throws Exception {
    links.connect(List.of(new TransportOffer("a", "host", 1, 4096)));
    links.connect(List.of(new TransportOffer("b", "host", 2, 4096)));
    assertThrows(IllegalStateException.class, links::close);
    assertEquals(2, closes.get());
    links.close();
    assertEquals(2, closes.get());
  }

  /** It may take its whole deadline, and another node is asked meanwhile. */
  @Test
  void nobodyWaitsForAConnectionThatIsBeingMade() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Void> slow = new CompletableFuture<>();
    DataLinks connecting =
        new DataLinks(
            new DataLinks.Connector() {
              @Override
              public Ticket admit(String transport) {
                begun.countDown();
                slow.join();
                return new Ticket(1, 2);
              }

              @Override
              public Connection connect(TransportOffer offer, Ticket ticket) {
                return new Unending();
              }
            },
            limit,
            0);
    CompletableFuture<Void> made =
        CompletableFuture.runAsync(
            () -> {
              try {
                connecting.connect(List.of(OFFER));
              } catch (TransportException e) {
                throw new AssertionError(e);
              }
            });
    begun.await();
    connecting.closeIdle();
    assertEquals(0, connecting.count());
    slow.complete(null);
    made.join();
    assertEquals(1, connecting.count());
  }
}
