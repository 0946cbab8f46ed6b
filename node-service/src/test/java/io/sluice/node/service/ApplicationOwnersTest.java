package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.service.TaskAdmission.ApplicationOwners;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.ServedApplications.TaskRefusedException;
import io.sluice.node.wire.FilesId;
import io.sluice.node.wire.RemoteError;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ApplicationOwnersTest {
  private static final Owner OWN = new Owner(1);
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);
  private static final String OF_ANN = "application_1_0001";
  private static final String FILES_OF_ANN = FilesId.of(ANN, "0123456789abcdef0123456789abcdef");

  private final Map<String, Optional<Owner>> started = new HashMap<>();
  private final AtomicLong clockNs = new AtomicLong();
  private IOException directoryOfUsersFails;
  private final ApplicationOwners owners =
      new ApplicationOwners(
          OWN,
          new ApplicationUsers() {
            @Override
            public boolean isHere(String applicationId) {
              return started.containsKey(applicationId);
            }

            @Override
            public Optional<Owner> expected(String applicationId) throws IOException {
              if (directoryOfUsersFails != null) {
                throw directoryOfUsersFails;
              }
              return started.get(applicationId);
            }

            @Override
            public boolean hasProcessesOf(Owner user) throws IOException {
              if (directoryOfUsersFails != null) {
                throw directoryOfUsersFails;
              }
              return started.containsValue(Optional.of(user));
            }
          },
          clockNs::get);

  @Test
  void theExpectedUserSpeaksForAnApplicationAndNoOther() {
    started.put(OF_ANN, Optional.of(ANN));
    assertServed(ANN);
    TaskRefusedException e = assertRefused(BOB, RefusalKind.WRONG_USER, RemoteError.Code.REFUSED);
    assertEquals(
        "application_1_0001 is of user id 1001; the task runs as user id 1002", e.getMessage());
  }

  @Test
  void theServicesOwnUserSpeaksForAll() {
    assertServed(OWN);
    started.put(OF_ANN, Optional.of(ANN));
    assertServed(OWN);
  }

  /** Nobody holds an id before its owner comes, or makes one up that never ends. */
  @Test
  void anApplicationOfWhichNothingWasStartedIsWaitedForOnlyAtTheStart() {
    assertRefused(ANN, RefusalKind.UNKNOWN_APPLICATION, RemoteError.Code.BUSY);
    clockNs.set(TimeUnit.MILLISECONDS.toNanos(ApplicationOwners.SETTLED_MS) - 1);
    assertRefused(ANN, RefusalKind.UNKNOWN_APPLICATION, RemoteError.Code.BUSY);
    clockNs.incrementAndGet();
    assertRefused(ANN, RefusalKind.UNKNOWN_APPLICATION, RemoteError.Code.REFUSED);
    started.put(OF_ANN, Optional.of(ANN));
    assertServed(ANN);
  }

  @Test
  void whereTheEngineCannotTellTheFirstThatComesStaysUntilTheEnd() {
    started.put(OF_ANN, Optional.empty());
    assertServed(ANN);
    assertRefused(BOB, RefusalKind.WRONG_USER, RemoteError.Code.REFUSED);
    assertServed(ANN);
    owners.forget(OF_ANN);
    assertServed(BOB);
  }

  @Test
  void aDirectoryOfUsersThatFailsMakesATaskComeAgain() {
    started.put(OF_ANN, Optional.of(ANN));
    directoryOfUsersFails = new IOException("no answer");
    TaskRefusedException e = assertRefused(ANN, RefusalKind.TOO_MANY, RemoteError.Code.BUSY);
    assertTrue(e.getMessage().contains("no answer"), e.getMessage());
    directoryOfUsersFails = null;
    assertServed(ANN);
  }

  @Test
  void aUsersFilesAreHisWhileAnythingOfHisIsHere() {
    assertRefused(FILES_OF_ANN, ANN, RefusalKind.UNKNOWN_APPLICATION, RemoteError.Code.BUSY);
    started.put(OF_ANN, Optional.of(ANN));
    assertServed(FILES_OF_ANN, ANN);
    started.put("application_1_0002", Optional.of(BOB));
    assertRefused(FILES_OF_ANN, BOB, RefusalKind.WRONG_USER, RemoteError.Code.REFUSED);
    started.remove(OF_ANN);
    clockNs.set(TimeUnit.MILLISECONDS.toNanos(ApplicationOwners.SETTLED_MS));
    assertRefused(FILES_OF_ANN, ANN, RefusalKind.UNKNOWN_APPLICATION, RemoteError.Code.REFUSED);
    directoryOfUsersFails = new IOException("no answer");
    assertRefused(FILES_OF_ANN, ANN, RefusalKind.TOO_MANY, RemoteError.Code.BUSY);
  }

  private void assertServed(Owner task) {
    assertServed(OF_ANN, task);
  }

  private void assertServed(String applicationId, Owner task) {
    assertDoesNotThrow(() -> owners.check(applicationId, task));
  }

  private TaskRefusedException assertRefused(Owner task, RefusalKind kind, RemoteError.Code code) {
    return assertRefused(OF_ANN, task, kind, code);
  }

  private TaskRefusedException assertRefused(
      String applicationId, Owner task, RefusalKind kind, RemoteError.Code code) {
    TaskRefusedException e =
        assertThrows(TaskRefusedException.class, () -> owners.check(applicationId, task));
    assertEquals(kind, e.kind());
    assertEquals(code, e.code());
    return e;
  }
}
