package io.sluice.node.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.conf.DataAddress.Local;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the address of the data ports may be called, and what is said of those that mean none. */
class DataAddressTest {
  private static final List<Local> HOST = new ArrayList<>();

  static {
    add("lo", true, "127.0.0.1", "::1");
    add("eth0", true, "192.0.2.7", "fe80::7", "2001:db8::7");
    add("ib0", true, "10.1.0.7", "fe80::8");
    add("ib1", false, "10.3.0.7");
    add("eth1", true, "198.51.100.7", "198.51.100.8");
    add("six0", true, "fe80::9", "2001:db8:1::9");
    add("link0", true, "fe80::a");
  }

  private static void add(String network, boolean up, String... addresses) {
    for (String each : addresses) {
      HOST.add(new Local(network, up, address(each)));
    }
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 192.0.2.7",
    "2001:db8::7, 2001:db8::7",
    "ib0, 10.1.0.7",
    "eth0, 192.0.2.7",
    "six0, 2001:db8:1::9",
    "10.1.0.0/16, 10.1.0.7",
    "10.1.0.6/31, 10.1.0.7",
    "10.1.0.7/32, 10.1.0.7",
    "198.51.100.8/32, 198.51.100.8",
    "2001:db8:1::/48, 2001:db8:1::9"
  })
  void eachFormMeansOneAddress(String text, String expected) throws IOException {
    assertEquals(address(expected), new DataAddress("x", text).among(HOST));
  }

  @ParameterizedTest
  @CsvSource({
    "ib7, is no interface",
    "eth1, more than one",
    "198.51.100.0/24, more than one",
    "0.0.0.0/0, more than one",
    "10.2.0.0/16, no address here lies in it",
    "10.1.0.8/32, no address here lies in it",
    "ib1, is down",
    "10.3.0.0/24, is down",
    "link0, beyond the link",
    "10.1.0.0/33, prefix length",
    "10.1.0.0/-1, prefix length",
    "10.1.0.0/, prefix length",
    "ib0/16, is no address",
    "1.2.3.400, is no address",
    "1:2, is no address"
  })
  void whatMeansNoneSaysWhatThereIs(String text, String why) {
    DataAddress named = new DataAddress("sluice.x", text);
    String message = assertThrows(IOException.class, () -> named.among(HOST)).getMessage();
    assertTrue(message.startsWith("sluice.x is '" + text + "': "), message);
    assertTrue(message.contains(why), message);
    assertTrue(message.contains("ib0 10.1.0.7") && message.contains("10.3.0.7 (down)"), message);
  }

  @Test
  void anAddressOfAnotherHostIsRefused() {
    DataAddress other = new DataAddress("sluice.x", "203.0.113.1"); // for documentation: RFC 5737
    String message =
        assertThrows(IOException.class, () -> other.resolve(InetAddress.getLoopbackAddress()))
            .getMessage();
    assertTrue(message.contains("cannot be listened at"), message);
    assertTrue(message.contains("127.0.0.1"), message);
  }

  @Test
  void thisHostHasALoopback() throws IOException {
    InetAddress other = address("192.0.2.9");
    assertEquals(List.of(address("127.0.0.1")), resolve("127.0.0.0/8", other));
    assertEquals(List.of(address("127.0.0.2")), resolve("127.0.0.2", other));
    assertEquals(List.of(other), resolve("", other));
  }

  private static List<InetAddress> resolve(String text, InetAddress otherwise) throws IOException {
    return new DataAddress("x", text).resolve(otherwise);
  }

  @Test
  void railsKeepTheirOrder() throws IOException {
    InetAddress other = address("192.0.2.9");
    InetAddress second = address("127.0.0.2");
    assertEquals(List.of(second, address("127.0.0.1")), resolve("127.0.0.2, 127.0.0.0/8", other));
    assertEquals(List.of(second), resolve("127.0.0.2,127.0.0.2", other));
  }

  /** A NIC that is out of order must not keep the other from serving. */
  @Test
  void aRailThatIsNotThereIsLeftOut() throws IOException {
    InetAddress other = address("192.0.2.9");
    InetAddress second = address("127.0.0.2");
    assertEquals(List.of(second), resolve("ib99, 127.0.0.2", other));
    assertEquals(List.of(second), resolve("127.0.0.2,", other));
    String message =
        assertThrows(IOException.class, () -> resolve("ib98,ib99", other)).getMessage();
    assertTrue(message.startsWith("x is 'ib98': is no interface"), message);
  }
}
