package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.Finding.Level;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaDevicesCheckTest {
  @TempDir Path root;
  private Tree machine;

  @BeforeEach
  void create() {
    machine = new Tree(root);
  }

  private Finding look() {
    List<Finding> findings = new RdmaDevicesCheck(machine.files()).look();
    assertEquals(1, findings.size(), findings.toString());
    return findings.get(0);
  }

  private static void assertContains(String part, String text) {
    assertTrue(text.contains(part), text);
  }

  @Test
  void aKernelWithoutModules() {
    machine.with("/proc/sys/kernel/osrelease", "6.1.0-cloud");
    Finding finding = look();
    assertEquals(Level.INFO, finding.level());
    assertContains("6.1.0-cloud", finding.cause());
    assertContains("boot a kernel", finding.remedy());
  }

  @Test
  void noModuleLoaded() {
    machine
        .with("/proc/sys/kernel/osrelease", "6.1.0-44-amd64")
        .withDirectory("/lib/modules/6.1.0-44-amd64");
    Finding finding = look();
    assertEquals(Level.INFO, finding.level());
    assertContains("no RDMA module is loaded", finding.cause());
    assertContains("modprobe rdma_rxe && rdma link add", finding.remedy());
  }

  @Test
  void modulesWithoutADevice() {
    machine.withDirectory("/sys/class/infiniband");
    Finding finding = look();
    assertContains("no software device was made", finding.cause());
    assertContains("rdma link add rxe0 type rxe netdev INTERFACE", finding.remedy());
  }

  @Test
  void aPortThatIsUpSaysItsAddress() {
    machine.withRxe().withGid("rxe0", 1, "0000:0000:0000:0000:0000:ffff:0a4d:0001", "RoCE v2");
    assertEquals(
        Finding.ok(
            "RDMA port rxe0:1", "up, RoCE v2, GID 1 is 10.77.0.1 on dummy0, 2.5 Gb/sec (1X SDR)"),
        look());
  }

  @Test
  void anIpv6AddressWillDo() {
    String address = "fd00:0000:0000:0000:0000:0000:0000:0001";
    machine.withRxe().withGid("rxe0", 2, address, "RoCE v2");
    assertContains("GID 2 is " + address, look().what());
  }

  @Test
  void whatNoTransportUsesIsNotRecommendedForOne() {
    machine.withRxe().with("/sys/class/infiniband/rxe0/node_type", "4: RNIC");
    Finding finding = look();
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("RNIC", finding.what());
    assertEquals("switch the NIC to RoCE if it can", finding.remedy());
  }

  @Test
  void aPortWithoutAnIpAddress() {
    machine.withRxe().withGid("rxe0", 1, "0000:0000:0000:0000:0000:ffff:0a4d:0001", "IB/RoCE v1");
    Finding finding = look();
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("no GID of an IP address", finding.what());
    assertEquals("ip addr add ADDRESS/PREFIX dev dummy0", finding.remedy());
  }

  @Test
  void anInterfaceThatIsDown() {
    machine
        .withRxe()
        .withPort("rxe0", "1: DOWN", "3: Disabled", "Ethernet")
        .with("/sys/class/net/dummy0/flags", "0x82");
    Finding finding = look();
    assertEquals(Level.PROBLEM, finding.level());
    assertEquals("is DOWN, physically Disabled", finding.what());
    assertEquals("network interface dummy0 is down", finding.cause());
    assertEquals("ip link set dummy0 up", finding.remedy());
  }

  @Test
  void anInterfaceWithoutALink() {
    machine
        .withPort("mlx5_0", "1: DOWN", "3: Disabled", "Ethernet")
        .with("/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0", "ens1")
        .with("/sys/class/net/ens1/flags", "0x1003");
    Finding finding = look();
    assertEquals("network interface ens1 has no link", finding.cause());
    assertContains("ethtool ens1", finding.remedy());
  }

  @Test
  void anInterfaceKnownOnlyFromItsDevice() {
    machine
        .withPort("mlx5_0", "1: DOWN", "3: Disabled", "Ethernet")
        .withDirectory("/sys/class/infiniband/mlx5_0/device/net/ens1");
    assertEquals("ip link set ens1 up", look().remedy());
  }

  @Test
  void infiniBandWaitsForItsSubnetManager() {
    machine.withPort("mlx5_0", "2: INIT", "5: LinkUp", "InfiniBand");
    assertContains("opensm", look().remedy());
    machine.withPort("mlx5_0", "1: DOWN", "2: Polling", "InfiniBand");
    assertContains("cable", look().remedy());
    machine.withPort("mlx5_0", "4: ACTIVE", "5: LinkUp", "InfiniBand");
    assertEquals(Level.OK, look().level());
  }

  @Test
  void iWarpIsNotForUcx() {
    machine
        .withPort("siw0", "4: ACTIVE", "5: LinkUp", "Ethernet")
        .with("/sys/class/infiniband/siw0/node_type", "4: RNIC");
    Finding finding = look();
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("RNIC", finding.what());
  }

  @Test
  void everyPortHasAFinding() {
    machine.withRxe().withPort("mlx5_0", "4: ACTIVE", "5: LinkUp", "InfiniBand");
    assertEquals(
        List.of("RDMA port mlx5_0:1", "RDMA port rxe0:1"),
        new RdmaDevicesCheck(machine.files()).look().stream().map(Finding::subject).toList());
  }
}
