package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegionFixture;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportContractTest;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of verbs over a NIC of the test: all but libibverbs itself. */
class FakeVerbsContractTest extends TransportContractTest {
  private FakeVerbs verbs;

  @Override
  protected TransportProvider createProvider() {
    try {
      verbs = new FakeVerbs(dir);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return verbs.provider();
  }

  @Override
  protected SilentServer startSilentServer() throws Exception {
    return new SilentVerbsServer((VerbsProvider) provider(), bindAddress());
  }

  @Override
  protected void verifyTheWayOf(long bytesRead) {
    assertEquals(List.of(), verbs.live(), "native objects not destroyed");
    verbs.close();
  }

  @Test
  void aLongReadIsSplitAndAWildcardServesEveryAddressOfBothDevices() throws Exception {
    int lengthBytes = 2 * ReadPart.MAX_BYTES + 7;
    RegionFixture fixture = closing(new RegionFixture(dir, lengthBytes, 3));
    ServerEndpoint server = closing(provider().listen(new InetSocketAddress(0)));
    RegionDescriptor descriptor = server.register(fixture.region());
    ClientEndpoint client = closing(provider().openClient());
    for (String address : new String[] {"127.0.0.1", "127.0.0.2", "::1"}) {
      RegisteredBuffer landing = landing(client, lengthBytes);
      InetSocketAddress remote =
          new InetSocketAddress(InetAddress.getByName(address), server.address().getPort());
      Connection connection = closing(client.connect(remote, LONG_MS));
      await(connection.read(descriptor, 0, landing, 0, lengthBytes, LONG_MS));
      assertEquals(-1, fixture.mismatch(0, landing.buffer()), address);
    }
    assertEquals(3, client.counters().reads());
  }

  @Test
  void aServerLetsItsClientsReadAndAClientLetsItsServerDoNothing() throws Exception {
    Setup s = new Setup();
    assertTrue(s.connection.isOpen());
    assertEquals(
        List.of(VerbsLayout.ACCESS_LOCAL_WRITE, VerbsLayout.ACCESS_REMOTE_READ),
        verbs.memoryAccess());
    assertEquals(List.of(0, VerbsLayout.ACCESS_REMOTE_READ), verbs.pairAccess());
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
  void refusesAnAddressOfNoRdmaDevice() throws Exception {
    InetSocketAddress none = new InetSocketAddress(InetAddress.getByName("127.0.0.3"), 0);
    TransportException e = assertThrows(TransportException.class, () -> provider().listen(none));
    assertTrue(e.getMessage().contains("has a GID for 127.0.0.3"), e.getMessage());
  }
}
