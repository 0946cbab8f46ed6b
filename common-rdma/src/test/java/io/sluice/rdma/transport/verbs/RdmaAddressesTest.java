package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.sluice.rdma.transport.verbs.RdmaAddresses.Missed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaAddressesTest {
  @TempDir private Path sys;

  private final List<InetAddress> host = new ArrayList<>();

  /** An address of a network interface, which is no RDMA port's. */
  private void hostHas(String address) throws IOException {
    host.add(InetAddress.getByName(address));
  }

  private Path port(String device, String state, String layer) throws IOException {
    Path directory = Files.createDirectories(sys.resolve("infiniband").resolve(device));
    Files.writeString(directory.resolve("node_type"), "1: CA\n");
    Path port = Files.createDirectories(directory.resolve("ports/1"));
    Files.writeString(port.resolve("state"), state + "\n");
    Files.writeString(port.resolve("link_layer"), layer + "\n");
    Files.createDirectories(port.resolve("gids"));
    return port;
  }

  /** A port of RoCE with the GIDs of these addresses, which are the host's. */
  private Path roce(String device, String... addresses) throws IOException {
    Path port = port(device, "4: ACTIVE", "Ethernet");
    for (int i = 0; i < addresses.length; i++) {
      hostHas(addresses[i]);
      byte[] gid = GidTable.gid(InetAddress.getByName(addresses[i]));
      Files.writeString(port.resolve("gids/" + i), HexFormat.of().formatHex(gid) + "\n");
    }
    return port;
  }

  private Optional<Missed> missedBy(String name) throws IOException {
    return new RdmaAddresses(sys, host).missedBy(() -> name, "test.address");
  }

  @Test
  void anAddressOfAnotherNetworkMissesThePorts() throws Exception {
    hostHas("10.0.0.1");
    roce("mlx5_0", "fd00::5", "10.1.0.5");
    roce("mlx5_1", "10.2.0.5");
    assertEquals(
        Optional.of(
            new Missed(
                "readers find this host at 10.0.0.1, which is no address of an RDMA port; RDMA port"
                    + " mlx5_0:1 has 10.1.0.5 and fd00:0:0:0:0:0:0:5, RDMA port mlx5_1:1 has"
                    + " 10.2.0.5",
                "set test.address to 10.1.0.5, or to its subnet")),
        missedBy("10.0.0.1"));
    assertEquals(Optional.empty(), missedBy("10.1.0.5"));
    assertEquals(Optional.empty(), missedBy("fd00::5"));
    assertEquals(Optional.empty(), missedBy("10.2.0.5"));
  }

  @Test
  void aPortThatIsDownMayComeUp() throws Exception {
    hostHas("10.0.0.1");
    Path port = roce("mlx5_0", "10.1.0.5");
    roce("mlx5_1", "10.2.0.5");
    Files.writeString(port.resolve("state"), "1: DOWN\n");
    assertEquals(Optional.empty(), missedBy("10.1.0.5"));
    assertEquals(Optional.empty(), missedBy("10.2.0.5"));
    // The service would not start at the address of a port that is down.
    String fix = missedBy("10.0.0.1").orElseThrow().fix();
    assertEquals("set test.address to 10.2.0.5, or to its subnet", fix);
  }

  /** In a container, behind a translation of addresses, or by a name that others resolve. */
  @Test
  void whatIsNoAddressOfThisHostIsNotJudged() throws Exception {
    hostHas("10.0.0.1");
    roce("mlx5_0", "10.1.0.5");
    assertEquals(Optional.empty(), missedBy("203.0.113.9"));
    assertEquals(Optional.empty(), missedBy("no-such-host.invalid"));
    hostHas("127.0.0.1");
    hostHas("::1");
    assertEquals(Optional.empty(), missedBy("localhost"));
  }

  /** The transport itself says what is wrong there. */
  @Test
  void withoutAnAddressOfAPortNothingIsMissed() throws Exception {
    hostHas("10.0.0.1");
    assertEquals(Optional.empty(), missedBy("10.0.0.1"));
    port("mlx5_0", "4: ACTIVE", "Ethernet");
    assertEquals(Optional.empty(), missedBy("10.0.0.1"));
    RdmaAddresses none = new RdmaAddresses(sys, host);
    assertEquals(
        Optional.empty(), none.missedBy(() -> fail("a name is looked up"), "test.address"));
  }

  /** Its GID is no IP address; the network interface leads to the port. */
  @Test
  void anInfinibandPortHasTheAddressesOfItsInterface() throws Exception {
    hostHas("10.0.0.1");
    hostHas("127.0.0.1");
    Path port = port("mlx5_0", "4: ACTIVE", "InfiniBand");
    Files.writeString(
        port.resolve("gids/0"),
        HexFormat.of().formatHex(GidTable.gid(InetAddress.getByName("10.0.0.1"))) + "\n");
    assertEquals(Optional.empty(), missedBy("10.0.0.1"));
    String loopback =
        NetworkInterface.getByInetAddress(InetAddress.getByName("127.0.0.1")).getName();
    Path net = Files.createDirectories(sys.resolve("net").resolve(loopback));
    Files.writeString(net.resolve("dev_port"), "0x0\n");
    Files.createDirectories(net.resolve("device/infiniband/mlx5_0"));
    assertEquals(
        "readers find this host at 10.0.0.1, which is no address of an RDMA port; RDMA port mlx5_0:1"
            + " has 127.0.0.1",
        missedBy("10.0.0.1").orElseThrow().cause());
  }
}
