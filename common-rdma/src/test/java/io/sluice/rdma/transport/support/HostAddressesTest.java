package io.sluice.rdma.transport.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.support.HostAddresses.Found;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class HostAddressesTest {
  @Test
  void hasEachInterfaceAndNoAddressOfOneLink() throws Exception {
    assertEquals(
        NetworkInterface.networkInterfaces()
            .map(NetworkInterface::getName)
            .collect(Collectors.toSet()),
        HostAddresses.byInterface().keySet());
    List<InetAddress> all = HostAddresses.all();
    assertTrue(all.contains(InetAddress.getLoopbackAddress()), all.toString());
    Set<InetAddress> system =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(address -> !address.isLinkLocalAddress())
            .collect(Collectors.toSet());
    assertEquals(system, Set.copyOf(all));
    assertTrue(all.stream().noneMatch(each -> each.getHostAddress().contains("%")), all.toString());
  }

  private static Found found(String address, int interfaceIndex) throws Exception {
    return new Found(InetAddress.getByName(address), interfaceIndex);
  }

  @Test
  void ofAHundredTheDevicesComeBeforeTheBridgesAndWhatHasNoRouteLast() throws Exception {
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < 96; i++) {
      found.add(found(i < 2 ? "172.17.0." + (i + 1) : "fe80::" + i, 100 - i));
    }
    found.add(found("127.0.0.1", 1));
    found.add(found("::1", 1));
    found.add(found("10.0.0.2", 3));
    found.add(found("10.0.0.1", 2));
    List<InetAddress> inOrder = HostAddresses.inOrder(found);
    List<String> first = List.of("10.0.0.1", "10.0.0.2", "172.17.0.2", "172.17.0.1", "127.0.0.1");
    assertEquals(first, inOrder.stream().limit(5).map(InetAddress::getHostAddress).toList());
    assertEquals(100, inOrder.size());
    assertEquals("fe80:0:0:0:0:0:0:95", inOrder.get(6).getHostAddress());
  }
}
