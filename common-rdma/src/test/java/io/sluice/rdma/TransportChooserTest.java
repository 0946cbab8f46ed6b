package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.TransportChooser.Choice;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TransportChooserTest {
  private static final TransportProvider FAST = new Stub("fast", Optional.of("no NIC"));
  private static final TransportProvider PLAIN = new Stub("plain", Optional.empty());

  private final TransportChooser chooser = new TransportChooser(List.of(FAST, PLAIN));

  @Test
  void autoTakesTheBestThatWorksAndSaysWhy() throws Exception {
    Choice choice = chooser.choose("auto");
    assertEquals(PLAIN, choice.provider());
    assertEquals("transport plain: fast is not available (no NIC)", choice.reason());
    assertEquals(Map.of("fast", "no NIC"), choice.unavailable());
    assertEquals(
        "transport plain: the best one, and it works here",
        new TransportChooser(List.of(PLAIN)).choose("auto").reason());
  }

  @Test
  void aNamedTransportIsNeverReplaced() throws Exception {
    assertEquals(PLAIN, chooser.choose("plain").provider());
    TransportException e = assertThrows(TransportException.class, () -> chooser.choose("fast"));
    assertTrue(e.getMessage().contains("no NIC"), e.getMessage());
  }

  @Test
  void aNamedTransportIsFollowedByTcpAlone() throws Exception {
    TransportChooser all =
        new TransportChooser(
            List.of(
                new Stub("ucx", Optional.empty()),
                new Stub("disni", Optional.empty()),
                new Stub("tcp", Optional.empty())));
    assertEquals(List.of("ucx", "disni", "tcp"), offered(all, "auto"));
    assertEquals(List.of("ucx", "tcp"), offered(all, "ucx"));
    assertEquals(List.of("disni", "tcp"), offered(all, "disni"));
    assertEquals(List.of("tcp"), offered(all, "tcp"));
  }

  @Test
  void aNamedTransportIsAloneIfNothingMayReplaceIt() throws Exception {
    TransportChooser all =
        new TransportChooser(
            List.of(new Stub("ucx", Optional.empty()), new Stub("tcp", Optional.empty())));
    assertEquals(List.of("ucx"), names(all.reading(all.choose("ucx"), false)));
    assertEquals(List.of("ucx", "tcp"), names(all.reading(all.choose("auto"), false)));
  }

  /** Else a pool would be pinned once for each of them. */
  @Test
  void aServiceRegistersItsPoolWithOneProviderAndServesOverTcpToo() throws Exception {
    TransportChooser all =
        new TransportChooser(
            List.of(
                new Stub("verbs", Optional.empty()),
                new Stub("ucx", Optional.empty()),
                new Stub("tcp", Optional.empty())));
    assertEquals(List.of("verbs", "tcp"), names(all.serving(all.choose("auto"))));
    assertEquals(List.of("ucx", "tcp"), names(all.serving(all.choose("ucx"))));
    assertEquals(List.of("tcp"), names(all.serving(all.choose("tcp"))));
  }

  /** Among users who do not trust each other; a name is obeyed all the same by who asks for it. */
  @Test
  void confinedLeavesOutWhosePeersCanDoMoreThanRead() throws Exception {
    TransportProvider open = new Stub("ucx", Optional.empty(), false);
    TransportChooser all =
        new TransportChooser(
            List.of(open, new Stub("disni", Optional.empty()), new Stub("tcp", Optional.empty())));
    assertEquals(List.of("disni", "tcp"), offered(all.confined(), "auto"));
    assertEquals(List.of("ucx", "tcp"), offered(all, "ucx"));
    assertThrows(TransportException.class, () -> all.confined().choose("ucx"));
  }

  private static List<String> offered(TransportChooser chooser, String setting)
      throws TransportException {
    return names(chooser.reading(chooser.choose(setting), true));
  }

  private static List<String> names(List<TransportProvider> providers) {
    return providers.stream().map(TransportProvider::name).toList();
  }

  @Test
  void anUnknownNameListsTheKnownOnes() {
    TransportException e = assertThrows(TransportException.class, () -> chooser.choose("rdma"));
    assertTrue(e.getMessage().contains("fast, plain"), e.getMessage());
  }

  @Test
  void nothingWorkingIsAnError() {
    assertThrows(
        TransportException.class, () -> new TransportChooser(List.of(FAST)).choose("auto"));
  }

  @Test
  void theStandardChoiceWorksOnAnyHost() throws Exception {
    Choice choice = TransportChooser.standard().choose("auto");
    assertTrue(choice.provider().isAvailable());
    assertEquals("tcp", TransportChooser.standard().choose("tcp").provider().name());
  }

  @Test
  void theStandardOrderIsThatOfTheNames() {
    assertEquals(TransportNames.BEST_FIRST, names(TransportChooser.standard().providers()));
  }

  @Test
  void withoutDisnisJarItSaysWhichIsMissing() {
    TransportException e =
        assertThrows(TransportException.class, () -> TransportChooser.standard().choose("disni"));
    assertTrue(e.getMessage().contains("sluice-disni-<version>.jar"), e.getMessage());
  }

  private record Stub(String name, Optional<String> unavailabilityCause, boolean isConfined)
      implements TransportProvider {
    private Stub(String name, Optional<String> unavailabilityCause) {
      this(name, unavailabilityCause, true);
    }

    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ClientEndpoint openClient() {
      throw new UnsupportedOperationException();
    }
  }
}
