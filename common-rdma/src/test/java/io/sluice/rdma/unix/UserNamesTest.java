package io.sluice.rdma.unix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.transport.LeakCheck;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class UserNamesTest {
  @Test
  void usersHaveNamesAndNumbers() throws Exception {
    LeakCheck leaks = new LeakCheck();
    assertEquals(OptionalInt.of(0), UserNames.uidOf("root"));
    assertEquals("root", UserNames.nameOf(0));
    assertEquals(OptionalInt.empty(), UserNames.uidOf("no such user"));
    assertEquals("4000000000", UserNames.nameOf((int) 4_000_000_000L));
    leaks.check();
  }

  @Test
  void thisProcessHasTheNameThatTheJdkSays() throws Exception {
    Path self = Path.of("/proc/self");
    int uid = (Integer) Files.getAttribute(self, "unix:uid");
    assertEquals(Files.getOwner(self).getName(), UserNames.nameOf(uid));
  }
}
