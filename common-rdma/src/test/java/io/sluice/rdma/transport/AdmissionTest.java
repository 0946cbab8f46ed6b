package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final int MOST = 5;
  private static final ConnectionLimits LIMITS = new ConnectionLimits(MOST, 8, 1_000, 1_000);

  private final InetAddress here = InetAddress.getLoopbackAddress();
  private long nowNs = Long.MAX_VALUE - 5; // which wraps soon
  private final Admission admission = Admission.expected(LIMITS, () -> nowNs);

  @Test
  void aTicketIsGoodForOneConnection() {
    Ticket ticket = admission.expect(null, Set.of()).orElseThrow();
    assertNotEquals(ticket, admission.expect(null, Set.of()).orElseThrow());
    assertTrue(admission.enter(ticket).isPresent());
    assertTrue(admission.enter(ticket).isEmpty());
    assertTrue(admission.enter(Ticket.NONE).isEmpty());
    assertEquals(2, admission.counters().expelled());
    assertFalse(ticket.toString().contains(Long.toString(ticket.high())));
  }

  @Test
  void whoMayEnterIsAskedWithoutCountingAnybody() {
    Ticket ticket = admission.expect(null, Set.of()).orElseThrow();
    assertTrue(admission.mayEnter(ticket));
    assertFalse(admission.mayEnter(Ticket.NONE));
    assertTrue(Admission.open(LIMITS).mayEnter(Ticket.NONE));
    assertTrue(admission.enter(ticket).isPresent());
    assertFalse(admission.mayEnter(ticket));
    assertEquals(0, admission.counters().expelled());
  }

  @Test
  void anAddressIsGoodForAsManyAsNamedIt() throws Exception {
    InetAddress other = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    admission.expect(null, Set.of(here, other));
    admission.expect(null, Set.of(here));
    assertTrue(admission.enter(InetAddress.getByAddress(new byte[] {10, 0, 0, 2})).isEmpty());
    assertTrue(admission.enter(here).isPresent());
    assertTrue(admission.enter(here).isPresent());
    assertTrue(admission.enter(here).isEmpty());
  }

  @Test
  void whoDoesNotComeInTimeGivesItsPlaceBack() {
    List<Ticket> tickets = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      tickets.add(admission.expect(null, Set.of(here)).orElseThrow());
    }
    assertTrue(admission.expect(null, Set.of(here)).isEmpty());
    assertEquals(1, admission.counters().refused());
    nowNs += TimeUnit.MILLISECONDS.toNanos(Admission.EXPECTED_MS);
    assertTrue(admission.enter(tickets.get(0)).isEmpty());
    assertTrue(admission.enter(here).isEmpty());
    assertTrue(admission.expect(null, Set.of(here)).isPresent());
  }

  private Admission.Place inside(Object sharer) {
    return admission.enter(admission.expect(sharer, Set.of()).orElseThrow()).orElseThrow();
  }

  @Test
  void theConnectionThatIsIdleForLongestMakesPlaceAfterASecond() {
    List<String> ended = new ArrayList<>();
    List<Admission.Place> places = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      places.add(inside(null));
    }
    for (int i : new int[] {2, 0, 1}) {
      places.get(i).idle(() -> ended.add("place " + i));
      nowNs++;
    }
    assertTrue(places.get(2).used());
    nowNs += Admission.IDLE_NS - 3;
    assertTrue(admission.expect(null, Set.of()).isEmpty(), "each may be about to be used");
    nowNs++;
    assertTrue(admission.expect(null, Set.of()).isPresent());
    assertEquals(List.of("place 0"), ended);
    assertFalse(places.get(0).used());
    places.get(0).leave();
    assertEquals(MOST - 1, admission.counters().open());
    assertTrue(admission.expect(null, Set.of()).isEmpty());
    assertTrue(places.get(1).used());
    nowNs += Admission.IDLE_NS;
    assertTrue(admission.expect(null, Set.of()).isEmpty(), "those left are in use");
  }

  @Test
  void oneUsersConnectionsMakeNoPlaceForAnothers() {
    List<String> ended = new ArrayList<>();
    inside("bob").idle(() -> ended.add("bob"));
    for (int i = 1; i < MOST; i++) {
      inside(null);
    }
    nowNs += Admission.IDLE_NS;
    assertTrue(admission.expect("ann", Set.of()).isEmpty());
    assertTrue(admission.expect("bob", Set.of()).isPresent());
    assertEquals(List.of("bob"), ended);
  }

  @Test
  void neverMoreThanThereArePlaces() {
    Random random = TestSeed.random();
    String[] sharers = {null, "ann", "bob"};
    List<Ticket> tickets = new ArrayList<>();
    List<Admission.Place> places = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      switch (random.nextInt(6)) {
        case 0 ->
            admission.expect(sharers[random.nextInt(3)], Set.of(here)).ifPresent(tickets::add);
        case 1 -> {
          Optional<Admission.Place> place =
              tickets.isEmpty() || random.nextBoolean()
                  ? admission.enter(here)
                  : admission.enter(tickets.remove(random.nextInt(tickets.size())));
          place.ifPresent(places::add);
        }
        case 2 -> {
          if (!places.isEmpty()) {
            Admission.Place left = places.remove(random.nextInt(places.size()));
            left.leave();
            left.leave();
          }
        }
        case 3 -> {
          if (!places.isEmpty()) {
            Admission.Place idle = places.get(random.nextInt(places.size()));
            idle.idle(() -> places.remove(idle));
          }
        }
        case 4 -> {
          if (!places.isEmpty()) {
            assertTrue(places.get(random.nextInt(places.size())).used());
          }
        }
        default -> nowNs += random.nextInt(20) * 1_000_000_000L;
      }
      assertEquals(places.size(), admission.counters().open());
      assertTrue(places.size() <= MOST);
    }
    places.forEach(Admission.Place::leave);
    admission.close();
    for (int i = 0; i < MOST; i++) {
      assertTrue(admission.expect(null, Set.of(here)).isPresent(), "all came back");
    }
  }
}
