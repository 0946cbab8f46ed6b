package io.sluice.rdma.transport.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.disni.DisniProvider.DisniServerEndpoint;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of an endpoint, and of all else that it has, when a call of verbs fails. */
@Timeout(300)
class DisniFailuresTest {
  private static final int REGION_BYTES = 4096;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(REGION_BYTES);
  private final Admission admission = Admission.open(ConnectionLimits.DEFAULT);
  private FakeVerbs verbs;

  @BeforeEach
  void fakeVerbs() throws Exception {
    verbs = new FakeVerbs();
  }

  @AfterEach
  void verbsAsBefore() throws Exception {
    verbs.close();
  }

  private static IOException refusal() {
    return new IOException("expected by this test");
  }

  private static OutOfMemoryError lackOfMemory() {
    return new OutOfMemoryError("expected by this test");
  }

  private DisniServerEndpoint open() throws TransportException {
    return DisniServerEndpoint.open(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), admission);
  }

  private RegionDescriptor register(DisniServerEndpoint server) throws TransportException {
    return server.register(MemoryRegion.ofMapping(memory));
  }

  private DisniDevices twoDevices() throws Exception {
    return DisniDevices.open(
        List.of(
            (Inet4Address) InetAddress.getByName("127.0.0.1"),
            (Inet4Address) InetAddress.getByName("127.0.0.2")));
  }

  private DisniRegion region(DisniDevices devices) throws Exception {
    return DisniRegion.register(devices, memory, REGION_BYTES, IbvMr.IBV_ACCESS_REMOTE_READ);
  }

  private long liveRegistrations() {
    return verbs.live().stream().filter("memory"::equals).count();
  }

  /** Else its memory goes to others, once it is tried again, while the NIC's key opens it. */
  @Test
  void aRegionThatTheNicKeepsIsNotDeregisteredHoweverOftenItIsTried() throws Exception {
    DisniServerEndpoint server = open();
    RegionDescriptor descriptor = register(server);
    verbs.fail("deregMr", 0, refusal());
    for (int i = 0; i < 3; i++) {
      String message =
          assertThrows(IllegalStateException.class, () -> server.deregister(descriptor))
              .getMessage();
      assertTrue(message.contains("must not be unmapped"), message);
    }
    assertEquals(1, server.counters().registrations());
    assertThrows(IllegalStateException.class, server::close);
  }

  @Test
  void whatFailedBeforeTheNicWasAskedSucceedsWhenItIsTriedAgain() throws Exception {
    try (DisniDevices devices = twoDevices()) {
      DisniRegion region = region(devices);
      verbs.fail("prepare deregMr", 1, lackOfMemory());
      assertThrows(OutOfMemoryError.class, region::deregister);
      assertEquals(1, liveRegistrations());
      region.deregister();
      assertEquals(0, liveRegistrations());
    }
  }

  @Test
  void aDeviceThatKeepsARegionKeepsItOnNoOther() throws Exception {
    DisniDevices devices = twoDevices();
    DisniRegion region = region(devices);
    verbs.fail("deregMr", 0, refusal());
    for (int i = 0; i < 2; i++) {
      assertThrows(IllegalStateException.class, region::deregister);
      assertEquals(1, liveRegistrations());
    }
  }

  @Test
  void aRegionThatTheNicKeepsKeepsNothingElseAtTheEnd() throws Exception {
    DisniServerEndpoint server = open();
    for (int i = 0; i < 8; i++) {
      register(server);
    }
    verbs.fail("deregMr", 0, refusal());
    assertThrows(IllegalStateException.class, server::close);
    assertEquals(List.of("domain", "id", "memory"), verbs.live());
  }

  @Test
  void aDeviceThatCannotBeClosedKeepsNoOtherOpen() throws Exception {
    DisniDevices devices = twoDevices();
    verbs.fail("deallocPd", 0, refusal());
    assertThrows(IllegalStateException.class, devices::close);
    assertEquals(List.of("domain", "id"), verbs.live());
  }

  @Test
  void aDeviceThatCannotBeOpenedLeavesNothing() {
    for (String call : new String[] {"getVerbs", "allocPd"}) {
      verbs.fail(call, 1, refusal());
      assertThrows(TransportException.class, this::twoDevices);
      assertEquals(List.of(), verbs.live(), call);
      verbs.fail(call, 1, lackOfMemory());
      assertThrows(OutOfMemoryError.class, this::twoDevices);
      assertEquals(List.of(), verbs.live(), call);
    }
  }

  /** The device's id is the first one, the listener's the second. */
  @Test
  void aListenerThatCannotBeMadeLeavesNothing() {
    verbs.fail("createId", 1, refusal());
    assertThrows(TransportException.class, this::open);
    assertEquals(List.of(), verbs.live());
    verbs.fail("createId", 1, lackOfMemory());
    assertThrows(OutOfMemoryError.class, this::open);
    assertEquals(List.of(), verbs.live());
  }

  @Test
  void aListenerThatCannotBeDestroyedKeepsNothingElse() {
    verbs.fail("listen", 0, refusal());
    verbs.fail("destroyCmId", 0, refusal());
    assertThrows(TransportException.class, this::open);
    assertEquals(List.of("id"), verbs.live());
  }

  @Test
  void aLackOfMemoryForOneClientEndsNobodyElsesConnectionAndLeavesNothing() throws Exception {
    DisniServerEndpoint server = open();
    List<String> idle = verbs.live();
    RdmaCmId before = verbs.connect(server.address());
    assertSame(before, verbs.nextAccepted());
    List<String> withOne = verbs.live();
    for (String call : new String[] {"getVerbs", "createCQ", "createQP", "accept"}) {
      verbs.fail(call, 0, lackOfMemory());
      RdmaCmId lacking = verbs.connect(server.address());
      assertSame(lacking, verbs.nextDestroyed(), call);
    }
    RdmaCmId after = verbs.connect(server.address());
    assertSame(after, verbs.nextAccepted());
    assertEquals(2, admission.counters().open());
    verbs.happens(EventType.RDMA_CM_EVENT_DISCONNECTED, after);
    assertSame(after, verbs.nextDestroyed());
    assertEquals(withOne, verbs.live());
    verbs.happens(EventType.RDMA_CM_EVENT_DISCONNECTED, before);
    assertSame(before, verbs.nextDestroyed());
    assertEquals(idle, verbs.live());
    server.close();
    assertEquals(List.of(), verbs.live());
  }

  /** The first client may come before it. */
  @Test
  void aLackOfMemoryForAnEventEndsNoListener() throws Exception {
    DisniServerEndpoint server = open();
    verbs.fail("getCmEvent", 0, lackOfMemory());
    for (int i = 0; i < 2; i++) {
      RdmaCmId client = verbs.connect(server.address());
      assertSame(client, verbs.nextAccepted());
    }
    server.close();
    assertEquals(List.of(), verbs.live());
  }

  @Test
  void aClientWhoCannotBeDroppedEndsNobodyElsesConnection() throws Exception {
    DisniServerEndpoint server = open();
    for (String call : new String[] {"disconnect", "destroyQP", "destroyCQ"}) {
      RdmaCmId client = verbs.connect(server.address());
      assertSame(client, verbs.nextAccepted(), call);
      verbs.fail(call, 0, lackOfMemory());
      verbs.happens(EventType.RDMA_CM_EVENT_DISCONNECTED, client);
      assertSame(client, verbs.nextDestroyed(), call);
    }
    assertEquals(0, admission.counters().open());
    verbs.connect(server.address());
    assertNotNull(verbs.nextAccepted());
    server.close();
  }

  @Test
  void aClientWhoCannotBeDroppedKeepsNothingElseAtTheEnd() throws Exception {
    DisniServerEndpoint server = open();
    for (int i = 0; i < 4; i++) {
      verbs.connect(server.address());
      assertNotNull(verbs.nextAccepted());
    }
    verbs.fail("destroyQP", 0, lackOfMemory());
    server.close();
    assertEquals(List.of("completion channel", "completion queue", "pair"), verbs.live());
  }
}
