package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.conf.DataAddress;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A service whose data address names two rails, and a transport that uses both. */
class RailsServiceTest extends NodeTestBase {
  private static final String FIRST = "127.0.0.1";
  private static final String SECOND = "127.0.0.2";

  private final Set<String> down = new HashSet<>();
  private final List<String> connected = new ArrayList<>();

  /** tcp that listens at all addresses, and says that it does so at its rails alone. */
  private final class Railed extends WrappedTcp {
    private final List<InetAddress> further;

    Railed(List<InetAddress> further) {
      this.further = further;
    }

    @Override
    public TransportProvider withRails(List<InetAddress> rails) {
      return new Railed(rails);
    }

    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      ServerEndpoint everywhere =
          super.listen(new InetSocketAddress(bindAddress.getPort()), admission);
      List<InetSocketAddress> rails = new ArrayList<>();
      rails.add(new InetSocketAddress(bindAddress.getAddress(), everywhere.address().getPort()));
      for (InetAddress rail : further) {
        rails.add(new InetSocketAddress(rail, everywhere.address().getPort()));
      }
      return new RailedEndpoint(everywhere, rails);
    }

    @Override
    protected TransportException refusal(InetSocketAddress remote) {
      String host = remote.getAddress().getHostAddress();
      connected.add(host);
      return down.contains(host)
          ? new ConnectFailedException("expected by this test", null, false)
          : null;
    }
  }

  private record RailedEndpoint(ServerEndpoint below, List<InetSocketAddress> rails)
      implements ServerEndpoint {
    @Override
    public InetSocketAddress address() {
      return rails.get(0);
    }

    @Override
    public RegionDescriptor register(MemoryRegion region) throws TransportException {
      return below.register(region);
    }

    @Override
    public void deregister(RegionDescriptor descriptor) {
      below.deregister(descriptor);
    }

    @Override
    public TransportCounters counters() {
      return below.counters();
    }

    @Override
    public void close() {
      below.close();
    }
  }

  private TestOutput startAndCommit() throws IOException {
    service =
        NodeService.start(
            inMemory(4, new Railed(List.of()))
                .dataAddress(new DataAddress("test.data", FIRST + "," + SECOND)));
    TestOutput output = TestOutput.single(seeded("rails"), "attempt_0", 3 << 20);
    commit(output);
    return output;
  }

  private void read(TestOutput output) throws IOException {
    try (NodeReader reader = reader(2, null, TIMEOUT_MS, new Railed(List.of()))) {
      assertReads(reader, List.of(output));
      assertEquals(output.totalBytes(), reader.stats().bytes("tcp"));
      assertEquals(0, reader.stats().transportFallbacks());
    }
  }

  @Test
  void readersAreSpreadOverBoth() throws IOException {
    TestOutput output = startAndCommit();
    assertTrue(service.endpoints().listening().contains(" and " + SECOND + " port "));
    while (!connected.containsAll(List.of(FIRST, SECOND))) { // by chance; the time limit ends it
      read(output);
    }
  }

  @Test
  void whereOneIsDownTheOtherIsUsed() throws IOException {
    TestOutput output = startAndCommit();
    for (String each : List.of(FIRST, SECOND)) {
      down.clear();
      down.add(each);
      connected.clear();
      while (!connected.contains(each)) {
        read(output);
      }
    }
  }
}
