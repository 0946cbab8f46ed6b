package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.service.TaskAdmission.ApplicationOwners;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.ServedApplications.TaskRefusedException;
import io.sluice.node.wire.FilesId;
import io.sluice.node.wire.JobSecret;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applications that end while their users are looked up. */
class TaskAdmissionTest {
  private static final Owner OWN = new Owner(1);
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);
  private static final String APP = "application_1_0001";
  private static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));

  @TempDir Path directory;
  private final AtomicLong clockNs = new AtomicLong();
  private boolean started = true;
  private Step duringLookup = () -> {};
  private ApplicationRegistry registry;
  private TaskAdmission admission;

  private interface Step {
    void run() throws IOException;
  }

  @BeforeEach
  void open() throws IOException {
    ApplicationUsers users =
        new ApplicationUsers() {
          @Override
          public boolean isHere(String applicationId) {
            return started;
          }

          @Override
          public Optional<Owner> expected(String applicationId) throws IOException {
            duringLookup.run();
            return Optional.of(ANN);
          }

          @Override
          public boolean hasProcessesOf(Owner user) {
            return started && user.equals(ANN);
          }
        };
    registry = ApplicationRegistry.open(directory, false, null);
    admission = new TaskAdmission(new ApplicationOwners(OWN, users, clockNs::get), registry);
    clockNs.set(TimeUnit.MILLISECONDS.toNanos(ApplicationOwners.SETTLED_MS));
  }

  private void stop() throws IOException {
    started = false;
    admission.forget(APP);
  }

  private void assertForgotten() throws IOException {
    assertNull(registry.secretOf(APP));
    assertEquals(Set.of(), ApplicationRegistry.known(directory));
  }

  @Test
  void anApplicationThatEndsWhileItsUserIsLookedUpIsNotKnownAfterIt() throws Exception {
    duringLookup = this::stop;
    TaskRefusedException e =
        assertThrows(TaskRefusedException.class, () -> admission.admit(APP, ANN, SECRET));
    assertEquals(RefusalKind.UNKNOWN_APPLICATION, e.kind());
    assertForgotten();
  }

  @Test
  void anApplicationThatHasEndedSinceIsNotConfirmed() throws Exception {
    admission.admit(APP, ANN, SECRET);
    admission.confirm(APP, ANN);
    assertNotNull(registry.secretOf(APP));
    started = false; // and what has ended is told next
    assertThrows(TaskRefusedException.class, () -> admission.confirm(APP, ANN));
    assertForgotten();
  }

  @Test
  void anApplicationOfTheServicesOwnUserThatHasEndedSinceIsNotConfirmed() throws Exception {
    admission.admit(APP, OWN, SECRET);
    admission.confirm(APP, OWN);
    stop();
    TaskRefusedException e =
        assertThrows(TaskRefusedException.class, () -> admission.confirm(APP, OWN));
    assertEquals(RefusalKind.UNKNOWN_APPLICATION, e.kind());
    assertForgotten();
  }

  /** Tasks of the service's own user are never looked up, and may come after the end. */
  @Test
  void whoComesWhileAnApplicationIsFreedDoesNotRegisterItForGood() throws Exception {
    admission.admit(APP, OWN, SECRET);
    admission.ended(
        APP,
        () -> {
          assertThrows(TaskRefusedException.class, () -> admission.confirm(APP, OWN));
          assertDoesNotThrow(() -> admission.admit(APP, OWN, SECRET));
        });
    assertForgotten();
    assertThrows(TaskRefusedException.class, () -> admission.confirm(APP, OWN));
  }

  @Test
  void anApplicationThatCannotBeFreedIsForgotten() throws Exception {
    admission.admit(APP, OWN, SECRET);
    IOException failure = new IOException("of the test");
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                admission.ended(
                    APP,
                    () -> {
                      throw failure;
                    }));
    assertSame(failure, thrown);
    assertForgotten();
  }

  @Test
  void anotherUserHasNothingForgotten() throws Exception {
    admission.admit(APP, ANN, SECRET);
    assertThrows(TaskRefusedException.class, () -> admission.admit(APP, BOB, SECRET));
    assertThrows(TaskRefusedException.class, () -> admission.confirm(APP, BOB));
    assertNotNull(registry.secretOf(APP));
    admission.confirm(APP, ANN);
  }

  /** Tasks of it may have been found by no engine yet, and its outputs are there. */
  @Test
  void whoIsRefusedAtOnceHasNothingForgotten() throws Exception {
    admission.admit(APP, ANN, SECRET);
    started = false;
    assertThrows(TaskRefusedException.class, () -> admission.admit(APP, ANN, SECRET));
    assertNotNull(registry.secretOf(APP));
  }

  @Test
  void aUsersFilesAreKnownBeyondTheEndOfHisLastApplication() throws Exception {
    String files = FilesId.of(ANN, "0123456789abcdef0123456789abcdef");
    admission.admit(files, ANN, SECRET);
    started = false;
    admission.confirm(files, ANN);
    assertThrows(TaskRefusedException.class, () -> admission.admit(files, ANN, SECRET));
    assertNotNull(registry.secretOf(files));
  }
}
