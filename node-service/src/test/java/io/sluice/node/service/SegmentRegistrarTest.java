package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.service.BounceBuffers.BounceConfig;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Segments over two transports, of which one fails. */
@Timeout(300)
class SegmentRegistrarTest {
  @TempDir Path directory;
  private final LeakCheck leaks = new LeakCheck();
  private final Map<String, OwnerEndpoints> endpoints = new LinkedHashMap<>();
  private String failing = ""; // the transport that does
  private BounceTransports bounce;
  private SegmentRegistrar registrar;
  private SpillStore store;
  private SegmentHandle segment;

  @BeforeEach
  void open() throws IOException {
    for (String name : new String[] {"first", "second"}) {
      InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      endpoints.put(
          name, OwnerEndpoints.open(new Failing(name), address, ConnectionLimits.DEFAULT, false));
    }
    bounce = new BounceTransports(endpoints, new BounceConfig(1, 0));
    registrar = new SegmentRegistrar(endpoints, bounce);
    store = SpillStore.open(TestPool.memory(directory, 1).segmentListener(registrar).build());
    Await.until("the segment is there", () -> store.segment(0).isPresent()); // told of it before
    segment = store.segment(0).orElseThrow();
  }

  @AfterEach
  void close() throws Exception {
    endpoints.values().forEach(OwnerEndpoints::close);
    bounce.close();
    registrar.open().removeAll();
    store.close();
    leaks.check();
  }

  private void assertRegistered(int first, int second) {
    assertEquals(first, endpoints.get("first").counters().registrations());
    assertEquals(second, endpoints.get("second").counters().registrations());
  }

  /** Else the others serve what is unmapped, or another owner's by then. */
  @Test
  void aTransportThatDoesNotLetGoKeepsNoOtherFromIt() {
    assertRegistered(1, 1);
    failing = "first";
    assertThrows(IllegalStateException.class, () -> registrar.segmentRemoved(segment));
    assertNull(registrar.location(0));
    assertRegistered(1, 0);
    assertThrows(IllegalStateException.class, () -> registrar.segmentRemoved(segment));
    failing = "";
    registrar.segmentRemoved(segment);
    assertRegistered(0, 0);
  }

  @Test
  void aSegmentThatOneTransportFailsOverIsRegisteredWithNone() {
    registrar.segmentRemoved(segment);
    failing = "second";
    assertThrows(OutOfMemoryError.class, () -> registrar.segmentAdded(segment));
    assertNull(registrar.location(0));
    assertRegistered(0, 0);
    failing = "";
    registrar.segmentAdded(segment);
    assertNotNull(registrar.location(0));
    assertRegistered(1, 1);
  }

  /** tcp under another name. */
  private final class Failing extends WrappedTcp {
    private final String name;

    Failing(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      return new Endpoint(name, super.listen(bindAddress, admission));
    }
  }

  private final class Endpoint implements ServerEndpoint {
    private final String name;
    private final ServerEndpoint delegate;

    Endpoint(String name, ServerEndpoint delegate) {
      this.name = name;
      this.delegate = delegate;
    }

    @Override
    public InetSocketAddress address() {
      return delegate.address();
    }

    @Override
    public RegionDescriptor register(MemoryRegion region) throws TransportException {
      if (name.equals(failing)) {
        throw new OutOfMemoryError("expected by this test");
      }
      return delegate.register(region);
    }

    @Override
    public void deregister(RegionDescriptor descriptor) {
      if (name.equals(failing)) {
        throw new IllegalStateException("it must not be unmapped, expected by this test");
      }
      delegate.deregister(descriptor);
    }

    @Override
    public TransportCounters counters() {
      return delegate.counters();
    }

    @Override
    public void close() {
      delegate.close();
    }
  }
}
