package io.sluice.rdma.transport.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.disni.DisniRegion.DisniAddress;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class DisniAddressTest {
  private static Inet4Address ip(String address) throws UnknownHostException {
    return (Inet4Address) InetAddress.getByName(address);
  }

  @Test
  void findsTheKeyOfTheDeviceThatIsConnectedTo() throws Exception {
    Map<Inet4Address, Integer> keys = new LinkedHashMap<>();
    keys.put(ip("10.0.0.1"), 17);
    keys.put(ip("192.168.0.1"), -3);
    byte[] data = DisniAddress.pack(1L << 47, keys);
    RegionDescriptor descriptor = new RegionDescriptor(1, 0, 64, data);
    assertEquals(1L << 47, DisniAddress.address(descriptor));
    assertEquals(OptionalInt.of(17), DisniAddress.remoteKey(descriptor, ip("10.0.0.1")));
    assertEquals(OptionalInt.of(-3), DisniAddress.remoteKey(descriptor, ip("192.168.0.1")));
    assertEquals(OptionalInt.empty(), DisniAddress.remoteKey(descriptor, ip("10.0.0.2")));
  }

  @Test
  void aDescriptorOfAnotherProviderHasNoKey() throws Exception {
    RegionDescriptor foreign = new RegionDescriptor(1, 0, 64, new byte[0]);
    assertEquals(OptionalInt.empty(), DisniAddress.remoteKey(foreign, ip("10.0.0.1")));
  }
}
