package io.sluice.it.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.it.job.JobCosts.HostUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a kernel as it wrote them. */
class HostUseTest {
  @Test
  void bytesOfDevicesAreAddedUpButNotOfWhatIsMadeOfThem(@TempDir Path sys) throws IOException {
    assertEquals(0, HostUse.deviceBytes(sys));
    device(sys, "vda", " 100 3 2000 60 50 7 4000 80 0 70 140 0 0 0 0 2 1", true);
    device(sys, "vdb", " 1 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0", true);
    device(sys, "loop0", " 11 0 9000 4 5 0 7000 1 0 0 0 0 0 0 0 0 0", false);
    assertEquals(6008 * 512, HostUse.deviceBytes(sys));
  }

  private static void device(Path sys, String name, String stat, boolean itsOwn)
      throws IOException {
    Path device = Files.createDirectory(sys.resolve(name));
    Files.writeString(device.resolve("stat"), stat);
    if (itsOwn) {
      Files.createDirectory(device.resolve("device"));
    }
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
