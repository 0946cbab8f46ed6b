package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.SoftDevice;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * The soft RDMA device is deleted while reads run, and then its link goes down.
 *
 * <p>The driver of Linux 6.1 cannot take the device from a process. The deletion takes the device's
 * file away, so that nobody opens it any more, and waits until no process has it open. Until then
 * it reports nothing, and connections go on.
 */
@Tag("campaign") // it breaks the device that other classes need, and mends it
@Timeout(600)
class VerbsRemovalTest {
  private static final long LONG_MS = 120_000;
  private static final int BYTES = 1 << 20;
  private static final int MANY = 128;

  private final LeakCheck leaks = new LeakCheck();
  private final ByteBuffer memory = OffHeap.allocate(BYTES);
  private final ByteBuffer target = OffHeap.allocate(BYTES);
  private VerbsProvider provider;
  private SoftDevice device;
  private Process deletion; // null before it has begun

  @BeforeEach
  void findDevice() {
    assumeTrue(SoftDevice.whyNot().isEmpty(), () -> SoftDevice.whyNot().orElseThrow());
    assertFalse(SoftDevice.isOpenHere(), "this process has the device open");
    device = SoftDevice.find();
    provider = RealVerbs.orSkip(VerbsRemovalTest.class, VerbsNetwork.DEFAULT);
  }

  @AfterEach
  void mendDevice() throws Exception {
    if (deletion != null) {
      deletion.waitFor(LONG_MS, TimeUnit.MILLISECONDS); // else there would be no device after it
    }
    if (device != null) {
      device.mend();
    }
    OffHeap.free(memory);
    OffHeap.free(target);
    leaks.check();
  }

  @Test
  void readsFailEachOnceAndTheEndpointsEnd(TestReporter reporter) throws Exception {
    readAll(1); // the JVM opens some descriptors for good
    KernelObjects before = KernelObjects.now();
    try (ServerEndpoint server = listen();
        ClientEndpoint client = provider.openClient();
        RegisteredBuffer landing = client.register(target);
        Connection connection = client.connect(server.address(), LONG_MS)) {
      RegionDescriptor region = server.register(MemoryRegion.ofMapping(memory));
      assertTrue(device.canBeOpened());
      deletion = device.startDelete();
      Await.until("nobody can open the device", () -> !device.canBeOpened());
      reads(connection, region, landing, 1).get(0).get(LONG_MS, TimeUnit.MILLISECONDS);
      String refusal =
          assertThrows(TransportException.class, () -> provider.openClient().close()).getMessage();
      reporter.publishEntry("verbs", "a new endpoint while the device is deleted: " + refusal);

      List<ReadChain> chains = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        chains.add(new ReadChain(connection, region, landing, BYTES, LONG_MS));
      }
      Await.until("a read has arrived", () -> chains.stream().anyMatch(ReadChain::hasRead));
      assertTrue(deletion.isAlive());
      device.linkDown();
      for (ReadChain chain : chains) {
        assertInstanceOf(
            ConnectionLostException.class, chain.failure().get(LONG_MS, TimeUnit.MILLISECONDS));
      }
      reporter.publishEntry("verbs", "the link went down: " + chains.get(0).failure().get());
      assertEquals(MANY, client.counters().failedReads(), "each chain fails once");
      assertFalse(connection.isOpen());
      Await.until("its server knows", () -> server.counters().openConnections() == 0);
    }
    assertTrue(deletion.waitFor(LONG_MS, TimeUnit.MILLISECONDS), "somebody has the device open");
    assertEquals(0, deletion.exitValue());

    device.mend();
    readAll(MANY);
    KernelObjects after = KernelObjects.now();
    assertEquals(ofAnyNumber(before.resources()), ofAnyNumber(after.resources()));
    assertEquals(before.descriptors(), after.descriptors());
    assertEquals(before.mappings(), after.mappings());
    assertEquals(before.pinned(), after.pinned());
    reporter.publishEntry("verbs", "before %s%nafter %s".formatted(before, after));
  }

  /** The new device has the old one's name, and another number. */
  private static String ofAnyNumber(String resources) {
    return resources.replaceAll("(?m)^\\d+: ", "");
  }

  private ServerEndpoint listen() throws TransportException {
    return provider.listen(new InetSocketAddress(device.address(), 0));
  }

  private static List<CompletableFuture<Void>> reads(
      Connection connection, RegionDescriptor region, RegisteredBuffer landing, int count) {
    List<CompletableFuture<Void>> reads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      reads.add(connection.read(region, 0, landing, 0, BYTES, LONG_MS));
    }
    return reads;
  }

  /** By endpoints of their own. */
  private void readAll(int count) throws Exception {
    try (ServerEndpoint server = listen();
        ClientEndpoint client = provider.openClient();
        RegisteredBuffer landing = client.register(target);
        Connection connection = client.connect(server.address(), LONG_MS)) {
      RegionDescriptor region = server.register(MemoryRegion.ofMapping(memory));
      for (CompletableFuture<Void> read : reads(connection, region, landing, count)) {
        read.get(LONG_MS, TimeUnit.MILLISECONDS);
      }
    }
  }
}
