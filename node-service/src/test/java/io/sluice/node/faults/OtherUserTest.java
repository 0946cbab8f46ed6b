package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.service.ApplicationUsers;
import io.sluice.node.service.NodeService;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.OtherUser;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks of another user than the service's, in processes that are that user's. */
class OtherUserTest extends NodeTestBase {
  private static final String NOBODYS = "application_1_0002";
  private static final Map<String, Owner> USERS =
      Map.of(NOBODYS, OtherUser.NOBODY, APP, new Owner(1234));

  private OtherUser others;

  @BeforeEach
  void copyClasses() throws IOException {
    OtherUser.assumeAvailable();
    others = new OtherUser(directory);
  }

  private static final ApplicationUsers ENGINE =
      new ApplicationUsers() {
        @Override
        public boolean isHere(String applicationId) {
          return USERS.containsKey(applicationId);
        }

        @Override
        public Optional<Owner> expected(String applicationId) {
          return Optional.of(USERS.get(applicationId));
        }
      };

  private String runTask(String applicationId) throws Exception {
    String metadata = Base64.getEncoder().encodeToString(service.metadata().encode());
    return others.run(
        OtherUser.NOBODY, OtherUserMain.class, metadata, applicationId, "secret", "300000");
  }

  @Test
  void writesAndReadsThroughWhatItIsHanded() throws Exception {
    service = NodeService.start(withDisk(2, new TcpProvider()).users(ENGINE));
    assertEquals("read locally 300000\n", runTask(NOBODYS));
    commit(TestOutput.single(new Random(2), "attempt_2", 9));
    assertEquals(2, service.store().stats().outputs());
  }

  @Test
  void speaksForNoApplicationButItsUsers() throws Exception {
    service = NodeService.start(withDisk(2, new TcpProvider()).users(ENGINE));
    String said = runTask(APP);
    assertTrue(
        said.startsWith("failed: " + APP + " is of user id 1234; the task runs as user id 65534"),
        said);
    assertTrue(runTask("application_1_0003").contains("nothing of application_1_0003 was started"));
    assertEquals(1L, service.counters().refusals().get(RefusalKind.WRONG_USER));
    assertEquals(1L, service.counters().refusals().get(RefusalKind.UNKNOWN_APPLICATION));
  }

  @Test
  void cannotReachAServiceOfItsOwnUserAlone() throws Exception {
    start(2);
    String said = runTask(NOBODYS);
    assertTrue(said.startsWith("failed: "), said);
    assertTrue(said.contains("/service"), said);
  }
}
