package io.sluice.rdma.transport.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.NetworkInterface;
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
}
