package io.sluice.rdma.transport.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RdmaContractTest;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegionFixture;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.disni.DisniConnection.DisniRead;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The contract of DiSNI on verbs; skipped as a whole where there is no RDMA device or libdisni. */
@ExtendWith(DisniContractTest.WhereDisniWorks.class)
class DisniContractTest extends RdmaContractTest {
  private static final DisniProvider PROVIDER = new DisniProvider();

  /** Skips the class, because without the library its tests have one reason and no other. */
  static final class WhereDisniWorks implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return PROVIDER
          .unavailabilityCause()
          .map(ConditionEvaluationResult::disabled)
          .orElse(ConditionEvaluationResult.enabled("DiSNI works here"));
    }
  }

  @Override
  protected TransportProvider createProvider() {
    return PROVIDER;
  }

  @Override
  protected SilentServer startSilentServer() throws Exception {
    return new SilentDisniServer(bindAddress());
  }

  @Test
  void aLongReadIsSplitAndAWildcardServesEveryAddress() throws Exception {
    int lengthBytes = 2 * DisniRead.MAX_PART_BYTES + 7;
    RegionFixture fixture = closing(new RegionFixture(dir, lengthBytes, 3));
    ServerEndpoint server = closing(provider().listen(new InetSocketAddress(0)));
    RegionDescriptor descriptor = server.register(fixture.region());
    ClientEndpoint client = closing(provider().openClient());
    RegisteredBuffer landing = landing(client, lengthBytes);
    InetSocketAddress address =
        new InetSocketAddress(bindAddress().getAddress(), server.address().getPort());
    Connection connection = closing(client.connect(address, LONG_MS));
    await(connection.read(descriptor, 0, landing, 0, lengthBytes, LONG_MS));
    assertEquals(-1, fixture.mismatch(0, landing.buffer()));
    assertEquals(1, client.counters().reads());
  }

  @Test
  void refusesIpv6InPlainWords() throws Exception {
    InetSocketAddress v6 = new InetSocketAddress(InetAddress.getByName("fd00::1"), 1);
    ClientEndpoint client = closing(provider().openClient());
    for (TransportException e :
        new TransportException[] {
          assertThrows(TransportException.class, () -> client.connect(v6, LONG_MS)),
          assertThrows(TransportException.class, () -> provider().listen(v6))
        }) {
      assertTrue(e.getMessage().contains("IPv4 only"), e.getMessage());
    }
  }

  @Test
  void refusesARegionWithoutAMapping() throws Exception {
    RegionFixture fixture = closing(new RegionFixture(dir, 4096, 3));
    ServerEndpoint server = closing(provider().listen(bindAddress()));
    assertThrows(
        RegistrationException.class,
        () -> server.register(MemoryRegion.ofFile(fixture.file(), 0, 4096)));
  }

  @Test
  void refusesAnAddressOfNoRdmaDevice() {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    TransportException e =
        assertThrows(TransportException.class, () -> provider().listen(loopback));
    assertTrue(e.getMessage().contains("none belongs to an RDMA device"), e.getMessage());
  }
}
