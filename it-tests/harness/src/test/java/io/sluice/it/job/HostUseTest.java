package io.sluice.it.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Files of {@code /proc} as a kernel wrote them. */
class HostUseTest {
  @Test
  void sectorsOfDevicesAreAddedUp() {
    List<String> diskstats =
        List.of(
            "   7       0 loop0 11 0 9000 4 5 0 7000 1 0 0 0 0 0 0 0 0 0",
            " 254       0 vda 100 3 2000 60 50 7 4000 80 0 70 140 0 0 0 0 2 1",
            " 254       1 vda1 90 3 1900 60 50 7 4000 80 0 70 140 0 0 0 0 0 0");
    assertEquals(6000 * 512, HostUse.deviceBytes(diskstats, "vda"::equals));
    assertEquals(0, HostUse.deviceBytes(List.of(), "vda"::equals));
  }

  @Test
  void receivedBytesOfInterfacesAreAddedUp() {
    List<String> dev =
        List.of(
            "Inter-|   Receive                                                |  Transmit",
            " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets",
            "    lo:    1000      10    0    0    0     0          0         0     1000      10",
            "  eth0:2000      20    0    0    0     0          0         0     5000      30");
    assertEquals(3000, HostUse.networkBytes(dev));
  }

  @Test
  void whatCameSinceIsTheDifference() {
    assertEquals(new HostUse(1, 2, 3), new HostUse(11, 12, 13).since(new HostUse(10, 10, 10)));
  }
}
