package io.sluice.rdma.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HostAndPortTest {
  @Test
  void onlyBareIpv6AddressesGetBrackets() {
    assertEquals("node-1:13600", HostAndPort.of("node-1", 13_600));
    assertEquals("10.0.0.1:13600", HostAndPort.of("10.0.0.1", 13_600));
    assertEquals("[2001:db8::1]:13600", HostAndPort.of("2001:db8::1", 13_600));
    assertEquals("[fe80::1%eth0]:13600", HostAndPort.of("fe80::1%eth0", 13_600));
    assertEquals("[::1]:13600", HostAndPort.of("[::1]", 13_600), "they have some already");
  }
}
