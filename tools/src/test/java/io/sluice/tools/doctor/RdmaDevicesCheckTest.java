package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.Finding.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaDevicesCheckTest {
  private static final String MAPPED = "0000:0000:0000:0000:0000:ffff:0a4d:0001"; // 10.77.0.1

  @TempDir Path root;
  private Tree machine;

  @BeforeEach
  void create() {
    machine = new Tree(root);
  }

  /** On a host whose network interface dummy0 has these addresses. */
  private Finding look(String... addresses) {
    List<Finding> findings = lookAll("dummy0", addresses);
    assertEquals(1, findings.size(), findings.toString());
    return findings.get(0);
  }

  private List<Finding> lookAll(String networkInterface, String... addresses) {
    return new RdmaDevicesCheck(
            machine.files(),
            Map.of(
                networkInterface, Stream.of(addresses).map(RdmaDevicesCheckTest::address).toList()))
        .look();
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(literal, e);
    }
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
    machine.withAddress();
    assertEquals(
        Finding.ok(
            "RDMA port rxe0:1", "up, RoCE v2, GID 1 is 10.77.0.1 on dummy0, 2.5 Gb/sec (1X SDR)"),
        look("10.77.0.1"));
  }

  @Test
  void anIpv6AddressWillDo() {
    machine.withRxe().withGid("rxe0", 2, "fd00:0000:0000:0000:0000:0000:0000:0001", "RoCE v2");
    assertContains("GID 2 is fd00:0:0:0:0:0:0:1 on", look("fd00::1").what());
  }

  @Test
  void roceV2IsPreferred() {
    machine
        .withRxe()
        .withGid("rxe0", 1, MAPPED, "IB/RoCE v1")
        .withGid("rxe0", 2, MAPPED, "RoCE v2");
    assertContains("up, RoCE v2, GID 2 is", look("10.77.0.1").what());
  }

  @Test
  void roceV1AloneIsSaid() {
    machine.withRxe().withGid("rxe0", 1, MAPPED, "IB/RoCE v1");
    Finding finding = look("10.77.0.1");
    assertEquals(Level.INFO, finding.level());
    assertContains("up, RoCE v1 only, GID 1 is 10.77.0.1", finding.what());
    assertContains("routers do not forward RoCE v1", finding.cause());
  }

  @Test
  void smallPacketsAreAProblem() {
    machine.withAddress().with("/sys/class/net/dummy0/mtu", "1119");
    Finding finding = look("10.77.0.1");
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("dummy0 has an MTU of 1119", finding.cause());
    machine.with("/sys/class/net/dummy0/mtu", "1120");
    assertEquals(Level.OK, look("10.77.0.1").level());
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
    machine.withRxe();
    Finding finding = look();
    assertEquals(Level.PROBLEM, finding.level());
    assertEquals("is up, but has no GID of an IP address", finding.what());
    assertEquals("network interface dummy0 has no IP address", finding.cause());
    assertEquals("ip addr add ADDRESS/PREFIX dev dummy0", finding.remedy());
  }

  /** The kernel shows a container the GIDs of its host. */
  @Test
  void aPortThatHasTheAddressesOfAnotherNetwork() {
    machine.withAddress();
    Finding finding = look("172.17.0.2");
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("its GIDs are of 10.77.0.1; a container", finding.cause());
    assertContains("--network=host", finding.remedy());
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
  }

  @Test
  void infiniBandIsFoundByTheAddressOfItsNetworkInterface() {
    machine.withPort("mlx5_0", "4: ACTIVE", "5: LinkUp", "InfiniBand");
    Finding finding = look();
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("IP over InfiniBand is not set up", finding.cause());
    assertContains("modprobe ib_ipoib", finding.remedy());
    machine
        .withDirectory("/sys/class/net/ib1/device/infiniband/mlx5_0")
        .with("/sys/class/net/ib1/dev_port", "0x1") // of port 2
        .withDirectory("/sys/class/net/ib0/device/infiniband/mlx5_0")
        .with("/sys/class/net/ib0/dev_port", "0");
    assertEquals("ip addr add ADDRESS/PREFIX dev ib0", look().remedy());
    assertEquals(
        List.of(Finding.ok("RDMA port mlx5_0:1", "up, InfiniBand on ib0, 2.5 Gb/sec (1X SDR)")),
        lookAll("ib0", "10.77.0.1"));
    assertEquals(Level.PROBLEM, lookAll("ib1", "10.77.0.1").get(0).level());
  }

  @Test
  void iWarpIsUsedByNoTransport() {
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
        lookAll("dummy0").stream().map(Finding::subject).toList());
  }
}
