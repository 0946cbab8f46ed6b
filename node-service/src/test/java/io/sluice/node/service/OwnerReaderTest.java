package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.TransportOffer;
import io.sluice.node.service.BounceBuffers.BounceConfig;
import io.sluice.node.service.ReaderBackend.OwnerReader;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class OwnerReaderTest {
  private static final Owner ANN = new Owner(1001);
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  private final LeakCheck leaks = new LeakCheck();
  private final Map<String, OwnerEndpoints> endpoints = new LinkedHashMap<>();
  private final BounceTransports bounce = new BounceTransports(endpoints, new BounceConfig(1, 0));

  @AfterEach
  void close() throws Exception {
    endpoints.values().forEach(OwnerEndpoints::close);
    bounce.close();
    leaks.check();
  }

  private void open(String name, TransportProvider provider) throws IOException {
    InetSocketAddress address = new InetSocketAddress(HERE, 0);
    endpoints.put(name, OwnerEndpoints.open(provider, address, ConnectionLimits.DEFAULT, true));
  }

  private OwnerReader reader() {
    ReaderSlots slots =
        new ReaderSlots(
            "application_1_0001", ANN, id -> Optional.empty(), new OpenSegments(), bounce);
    return new OwnerReader(
        ANN, true, endpoints, new HeapBudget("readers", 1, true, 0), bounce, slots);
  }

  private boolean isOpen(String name) {
    return endpoints.get(name).expect(ANN, ANN, Set.of(HERE)).isPresent();
  }

  @Test
  void itsOwnersEndpointsAreOpenAsLongAsItIs() throws IOException {
    open("first", new GuessableTcp());
    try (OwnerReader reader = reader()) {
      assertEquals(1, reader.offers().size());
      assertTrue(isOpen("first"));
    }
    assertFalse(isOpen("first"));
  }

  /** As where so many owners have one that the process has no files for another. */
  @Test
  void aTransportWhoseEndpointDoesNotOpenIsNotOfferedToThatOwner() throws IOException {
    WithoutFiles first = new WithoutFiles();
    open("first", first);
    open("second", new TcpProvider());
    first.exhausted = true;
    try (OwnerReader reader = reader()) {
      assertEquals(
          List.of("second"), reader.offers().stream().map(TransportOffer::transport).toList());
      assertThrows(RemoteError.class, () -> reader.expect("first", Set.of(HERE)));
      reader.expect("second", Set.of(HERE));
    }
    first.exhausted = false;
    try (OwnerReader reader = reader()) {
      assertEquals(2, reader.offers().size(), "once there are files again");
    }
  }

  /** It would stay open for good, with its threads, where there are none to spare. */
  @Test
  void whereOneEndpointMeetsAnErrorNoOtherStaysOpenForIt() throws IOException {
    WithoutThreads second = new WithoutThreads();
    open("first", new GuessableTcp());
    open("second", second);
    second.exhausted = true;
    assertThrows(OutOfMemoryError.class, this::reader);
    assertFalse(isOpen("first"));
  }

  /** After the service's own endpoint there is no file for another. */
  private static final class WithoutFiles extends GuessableTcp {
    private boolean exhausted;

    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      if (exhausted) {
        throw new TransportException("Too many open files, expected by this test");
      }
      return super.listen(bindAddress, admission);
    }
  }

  /** After the service's own endpoint there is no thread for another. */
  private static final class WithoutThreads extends WrappedTcp {
    private boolean exhausted;

    @Override
    public boolean keysCanBeGuessed() {
      return true;
    }

    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      if (exhausted) {
        throw new OutOfMemoryError("unable to create native thread, expected by this test");
      }
      return super.listen(bindAddress, admission);
    }
  }
}
