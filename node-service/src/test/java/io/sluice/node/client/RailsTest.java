package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.remote.TransportOffer;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which of a node's rails data connections take. */
class RailsTest {
  private static final TransportOffer FIRST = new TransportOffer("verbs", "10.0.0.1", 7, 4096);
  private static final TransportOffer SECOND = new TransportOffer("verbs", "10.0.1.1", 7, 4096);
  private static final List<TransportOffer> BOTH = List.of(FIRST, SECOND);

  private final List<String> hosts = new ArrayList<>(); // that were connected to
  private final Set<String> down = new HashSet<>();
  private boolean busy;
  private Rail last;
  private int tickets;

  private static final class Rail extends UnreadConnection {
    private boolean open = true;

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      open = false;
    }
  }

  private DataLinks links(int firstRail) {
    return new DataLinks(
        new DataLinks.Connector() {
          @Override
          public Ticket admit(String transport) {
            return new Ticket(1, ++tickets);
          }

          @Override
          public Connection connect(TransportOffer offer, Ticket ticket) throws TransportException {
            assertEquals(tickets, ticket.low());
            hosts.add(offer.host());
            if (down.contains(offer.host())) {
              throw busy
                  ? new NodeBusyException("expected by this test", null)
                  : new TransportException(offer.host() + " is down");
            }
            last = new Rail();
            return last;
          }
        },
        new LinkLimit(2),
        firstRail);
  }

  @Test
  void readersAreSpreadOverBothAndKeepToOne() throws Exception {
    for (int rail = 0; rail < 4; rail++) {
      DataLinks links = links(rail);
      links.connect(BOTH);
      links.connect(BOTH);
    }
    assertEquals(List.of("10.0.0.1", "10.0.1.1", "10.0.0.1", "10.0.1.1"), hosts);
  }

  @Test
  void whereOneIsDownTheOtherIsTakenAtOnceAndKept() throws Exception {
    down.add("10.0.0.1");
    DataLinks links = links(0);
    links.connect(BOTH);
    assertEquals(List.of("10.0.0.1", "10.0.1.1"), hosts);
    links.connect(BOTH);
    assertEquals(2, tickets); // each connection needs one of its own
    assertEquals(1, links.count());
  }

  /** It may have ended because its rail went down, though its address still answers. */
  @Test
  void afterAConnectionThatEndedTheOtherIsTaken() throws Exception {
    DataLinks links = links(0);
    links.connect(BOTH);
    last.close();
    links.connect(BOTH);
    assertEquals(List.of("10.0.0.1", "10.0.1.1"), hosts);
    last.close();
    down.add("10.0.0.1");
    links.connect(BOTH);
    assertEquals(List.of("10.0.0.1", "10.0.1.1", "10.0.0.1", "10.0.1.1"), hosts);
  }

  @Test
  void whereAllAreDownTheTransportFails() {
    down.addAll(List.of("10.0.0.1", "10.0.1.1"));
    DataLinks links = links(1);
    TransportException e = assertThrows(TransportException.class, () -> links.connect(BOTH));
    assertEquals("10.0.1.1 is down", e.getMessage());
    assertEquals("10.0.0.1 is down", e.getSuppressed()[0].getMessage());
    assertEquals(List.of("10.0.1.1", "10.0.0.1"), hosts);
    assertEquals(0, links.count());
  }

  @Test
  void aBusyNodeIsBusyOnAll() {
    down.addAll(List.of("10.0.0.1", "10.0.1.1"));
    busy = true;
    DataLinks links = links(0);
    assertThrows(NodeBusyException.class, () -> links.connect(BOTH));
    assertEquals(List.of("10.0.0.1"), hosts);
  }

  @Test
  void aNodeThatServesOnOneRailLessIsReachedOnTheOther() throws Exception {
    DataLinks links = links(1);
    links.connect(BOTH);
    links.connect(List.of(FIRST)); // it was restarted
    assertEquals(List.of("10.0.1.1", "10.0.0.1"), hosts);
    assertEquals(1, links.count());
  }
}
