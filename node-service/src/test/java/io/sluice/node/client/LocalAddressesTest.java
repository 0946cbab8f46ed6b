package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.DataLinks.LocalAddresses;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalAddressesTest {
  private static LocalAddresses.Found found(String address, int interfaceIndex) throws Exception {
    return new LocalAddresses.Found(InetAddress.getByName(address), interfaceIndex);
  }

  @Test
  void ofAHundredTheDevicesComeBeforeTheBridgesAndWhatHasNoRouteLast() throws Exception {
    List<LocalAddresses.Found> found = new ArrayList<>();
    for (int i = 0; i < 96; i++) {
      found.add(found(i < 2 ? "172.17.0." + (i + 1) : "fe80::" + i, 100 - i));
    }
    found.add(found("127.0.0.1", 1));
    found.add(found("::1", 1));
    found.add(found("10.0.0.2", 3));
    found.add(found("10.0.0.1", 2));
    List<InetAddress> inOrder = LocalAddresses.inOrder(found);
    List<String> first = List.of("10.0.0.1", "10.0.0.2", "172.17.0.2", "172.17.0.1", "127.0.0.1");
    assertEquals(first, inOrder.stream().limit(5).map(InetAddress::getHostAddress).toList());
    assertEquals(100, inOrder.size());
    assertEquals("fe80:0:0:0:0:0:0:95", inOrder.get(6).getHostAddress());
  }
}
