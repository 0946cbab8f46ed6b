package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.security.auth.module.UnixSystem;
import io.sluice.it.cluster.ProcessTable.ProcessRights;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessRightsTest {
  @Test
  void allFourUsersAndTheEffectiveCapabilitiesAreRead() {
    List<String> status = List.of("Name:\tjava", "Uid:\t7\t8\t9\t10", "CapEff:\t00000000000000c0");
    assertEquals(new ProcessRights(List.of(7, 8, 9, 10), 0xc0), ProcessRights.parse(status));
  }

  @Test
  void thisProcessIsItsUser() {
    int uid = (int) new UnixSystem().getUid();
    assertEquals(
        List.of(uid, uid, uid, uid), ProcessTable.rights(ProcessHandle.current().pid()).uids());
  }

  @Test
  void aLineThatIsMissingIsNamed() {
    String message =
        assertThrows(ClusterException.class, () -> ProcessRights.parse(List.of("Name:\tjava")))
            .getMessage();
    assertEquals("no line Uid: in [Name:\tjava]", message);
  }
}
