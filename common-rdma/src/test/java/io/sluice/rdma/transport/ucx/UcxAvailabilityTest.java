package io.sluice.rdma.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.RdmaDevices;
import io.sluice.rdma.transport.ucx.UcxProvider.UcxAvailability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UcxAvailabilityTest {
  @TempDir private Path sys;

  private void device(String name, String nodeType, String... portStates) throws IOException {
    Path device = Files.createDirectories(sys.resolve("infiniband").resolve(name));
    Files.writeString(device.resolve("node_type"), nodeType + "\n");
    for (int port = 1; port <= portStates.length; port++) {
      Path dir = Files.createDirectories(device.resolve("ports").resolve("" + port));
      Files.writeString(dir.resolve("state"), portStates[port - 1] + "\n");
    }
  }

  @Test
  void findsActivePortsOfChannelAdaptersOnly() throws Exception {
    device("siw0", "4: RNIC", "4: ACTIVE");
    assertFalse(new RdmaDevices(sys).areThere());
    device("mlx5_0", "1: CA", "1: DOWN", "4: ACTIVE");
    assertTrue(new RdmaDevices(sys).areThere());
    device("rxe0", "1: CA", "4: ACTIVE");
    assertEquals(List.of("mlx5_0:2", "rxe0:1"), new RdmaDevices(sys).activePorts());
    assertEquals(List.of(), new RdmaDevices(sys.resolve("absent")).activePorts());
    assertFalse(new RdmaDevices(sys.resolve("absent")).areThere());
  }

  @Test
  void withoutADeviceItIsNotAvailableAndNeverFallsToTcp() throws Exception {
    device("mlx5_0", "1: CA", "1: DOWN");
    UcxProvider provider = new UcxProvider(new RdmaDevices(sys));
    assertFalse(provider.isAvailable());
    assertTrue(provider.unavailabilityCause().orElseThrow().contains("active port"));
    TransportException e = assertThrows(TransportException.class, provider::openClient);
    assertTrue(e.getMessage().contains("active port"), e.getMessage());
  }

  @Test
  void withoutTheConnectionManagerItSaysWhichModuleIsMissing() throws Exception {
    device("rxe0", "1: CA", "4: ACTIVE");
    UcxProvider provider = new UcxProvider(new RdmaDevices(sys));
    assertTrue(provider.unavailabilityCause().orElseThrow().contains("modprobe rdma_ucm"));
  }

  @Test
  void namesTheTransportOfADeviceOnlyWhereThereIsOne() throws Exception {
    device("rxe0", "1: CA", "4: ACTIVE");
    assertEquals("rc_verbs", UcxSettings.rdma(new RdmaDevices(sys)).config().get("TLS"));
    device("mlx5_0", "1: CA", "4: ACTIVE");
    assertEquals("rc_verbs,rc_mlx5", UcxSettings.rdma(new RdmaDevices(sys)).config().get("TLS"));
  }

  @Test
  void needsLockedMemoryForUcxItselfBeforeItLoadsAnything() throws Exception {
    device("rxe0", "1: CA", "4: ACTIVE");
    Files.createDirectories(sys.resolve("misc/rdma_cm"));
    Path limits = Files.writeString(sys.resolve("limits"), "Max locked memory  65536  65536\n");
    Path status =
        Files.writeString(sys.resolve("status"), "VmPin: 0 kB\nCapEff: 0000000000000000\n");
    String cause =
        new UcxAvailability(
                UcxSettings.rdma(new RdmaDevices(sys)),
                new RdmaDevices(sys),
                new LockedMemoryLimit(limits, status))
            .cause()
            .orElseThrow();
    assertTrue(cause.contains("allows 65536 bytes"), cause);
    assertTrue(cause.contains("ulimit -l"), cause);
  }
}
