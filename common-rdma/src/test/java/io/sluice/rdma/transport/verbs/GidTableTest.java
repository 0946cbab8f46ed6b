package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.verbs.GidTable.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GidTableTest {
  @TempDir private Path sys;

  private void gid(int index, String gid, String type) throws IOException {
    Path port = sys.resolve("infiniband/mlx5_0/ports/2");
    Files.createDirectories(port.resolve("gids"));
    Files.createDirectories(port.resolve("gid_attrs/types"));
    Files.writeString(port.resolve("gids").resolve("" + index), gid + "\n");
    if (!type.isEmpty()) {
      Files.writeString(port.resolve("gid_attrs/types").resolve("" + index), type + "\n");
    }
  }

  private Optional<Integer> find(String address) throws IOException {
    return new GidTable(sys, "mlx5_0", 2).find(InetAddress.getByName(address)).map(Gid::index);
  }

  @Test
  void prefersRoceV2AndTakesV1WhereThereIsNoOther() throws Exception {
    gid(0, "fe80:0000:0000:0000:506b:4bff:fe01:0203", "IB/RoCE v1");
    gid(1, "fe80:0000:0000:0000:506b:4bff:fe01:0203", "RoCE v2");
    gid(2, "0000:0000:0000:0000:0000:ffff:0a4d:0001", "IB/RoCE v1");
    gid(10, "0000:0000:0000:0000:0000:ffff:0a4d:0001", "RoCE v2");
    gid(11, "0000:0000:0000:0000:0000:ffff:0a4d:0002", "IB/RoCE v1");
    gid(12, "0000:0000:0000:0000:0000:0000:0000:0000", "");
    assertEquals(Optional.of(10), find("10.77.0.1"));
    assertEquals(Optional.of(11), find("10.77.0.2"));
    assertEquals(Optional.of(1), find("fe80::506b:4bff:fe01:203"));
    assertEquals(Optional.empty(), find("10.77.0.3"));
    assertArrayEquals(
        InetAddress.getByName("fe80::506b:4bff:fe01:203").getAddress(),
        new GidTable(sys, "mlx5_0", 2).ofInfiniband().bytes());
  }

  @Test
  void anInfinibandPortIsFoundByItsInterface() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    String name = NetworkInterface.getByInetAddress(loopback).getName();
    Path net = Files.createDirectories(sys.resolve("net").resolve(name));
    Files.writeString(net.resolve("dev_port"), "1\n");
    assertFalse(new GidTable(sys, "mlx5_0", 2).isInterfaceOf(loopback));
    Files.createDirectories(net.resolve("device/infiniband/mlx5_0"));
    assertTrue(new GidTable(sys, "mlx5_0", 2).isInterfaceOf(loopback));
    assertFalse(new GidTable(sys, "mlx5_0", 1).isInterfaceOf(loopback));
    assertFalse(new GidTable(sys, "mlx5_0", 2).isInterfaceOf(InetAddress.getByName("203.0.113.9")));
  }
}
