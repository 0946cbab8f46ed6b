package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerUsersTest {
  private static final Owner OWN = new Owner(1);
  private static final String APPLICATION = "application_1_0001";
  private static final String EXECUTOR = "yarn.nodemanager.container-executor.class";
  private static final String NONSECURE =
      "yarn.nodemanager.linux-container-executor.nonsecure-mode.";
  private static final String STOCK = "org.apache.hadoop.yarn.server.nodemanager.";
  private static final Map<String, Integer> HOST = Map.of("ann", 1001, "nobody", 65534, "tasks", 7);

  private final Configuration conf = new Configuration(false);
  private final AtomicLong clockNs = new AtomicLong();
  private final AtomicInteger lookups = new AtomicInteger();
  private boolean hostFails;

  private ContainerUsers users() {
    return new ContainerUsers(conf, OWN, this::uidOf, clockNs::get);
  }

  private OptionalInt uidOf(String name) throws IOException {
    lookups.incrementAndGet();
    if (hostFails) {
      throw new IOException("the directory of users does not answer");
    }
    return HOST.containsKey(name) ? OptionalInt.of(HOST.get(name)) : OptionalInt.empty();
  }

  private static Optional<Owner> expected(ContainerUsers users) throws IOException {
    users.containerStarted(APPLICATION, "ann");
    return users.expected(APPLICATION);
  }

  @Test
  void aFurtherAttemptIsTheApplications() throws IOException {
    conf.set(EXECUTOR, STOCK + "LinuxContainerExecutor");
    conf.set(NONSECURE + "limit-users", "false");
    ContainerUsers users = users();
    users.containerStarted(APPLICATION, "ann");
    assertTrue(users.isHere(APPLICATION + "_2"));
    assertEquals(Optional.of(new Owner(1001)), users.expected(APPLICATION + "_2"));
    assertFalse(users.isHere("application_1_0002_1"));
    users.applicationStopped(APPLICATION);
    assertFalse(users.isHere(APPLICATION + "_2"));
  }

  /** -1 where it is not to be known. */
  @ParameterizedTest
  @CsvSource({
    ", simple, , , 1",
    "DefaultContainerExecutor, simple, false, , 1",
    "DefaultContainerExecutor, kerberos, false, , 1",
    "LinuxContainerExecutor, simple, , , 65534",
    "LinuxContainerExecutor, simple, true, tasks, 7",
    "LinuxContainerExecutor, simple, false, tasks, 1001",
    "LinuxContainerExecutor, kerberos, , , 1001",
    "LinuxContainerExecutor, kerberos, true, tasks, 1001",
    "WindowsSecureContainerExecutor, simple, , , -1",
    "OneOfTheirOwn, kerberos, , , -1",
  })
  void theExecutorAndItsSettingsSayWhomAContainerRunsAs(
      String executor, String security, String limitUsers, String localUser, int uid)
      throws IOException {
    conf.set("hadoop.security.authentication", security);
    if (executor != null) {
      conf.set(EXECUTOR, STOCK + executor);
    }
    if (limitUsers != null) {
      conf.set(NONSECURE + "limit-users", limitUsers);
    }
    if (localUser != null) {
      conf.set(NONSECURE + "local-user", localUser);
    }
    assertEquals(uid == -1 ? Optional.empty() : Optional.of(new Owner(uid)), expected(users()));
  }

  @Test
  void aUserWhoseContainersWereStartedHasProcessesHereWhateverBecomesOfOtherNames()
      throws IOException {
    conf.set(EXECUTOR, STOCK + "LinuxContainerExecutor");
    conf.set("hadoop.security.authentication", "kerberos");
    ContainerUsers users = users();
    assertFalse(users.hasProcessesOf(new Owner(1001)));
    users.containerStarted(APPLICATION, "ann");
    users.containerStarted("application_1_0002", "a stranger");
    assertTrue(users.hasProcessesOf(new Owner(1001)));
    assertThrows(IOException.class, () -> users.hasProcessesOf(new Owner(1002)));
    users.applicationStopped("application_1_0002");
    assertFalse(users.hasProcessesOf(new Owner(1002)));
  }

  @Test
  void anApplicationIsHereFromItsFirstContainerToItsEnd() {
    ContainerUsers users = users();
    assertFalse(users.isHere(APPLICATION));
    users.containerStarted(APPLICATION, "ann");
    users.containerStarted(APPLICATION, "ann");
    assertTrue(users.isHere(APPLICATION));
    users.applicationStopped(APPLICATION);
    assertFalse(users.isHere(APPLICATION));
    users.applicationStopped(APPLICATION);
  }

  @Test
  void aNameIsLookedUpOnceInFiveMinutes() throws IOException {
    runAsThemselves();
    ContainerUsers users = users();
    expected(users);
    expected(users);
    assertEquals(1, lookups.get());
    clockNs.addAndGet(TimeUnit.MINUTES.toNanos(5));
    expected(users);
    assertEquals(2, lookups.get());
  }

  @Test
  void aFailureIsTriedAgainAfterHalfAMinute() throws IOException {
    runAsThemselves();
    ContainerUsers users = users();
    hostFails = true;
    assertFails(users, "does not answer");
    hostFails = false;
    assertFails(users, "does not answer");
    clockNs.addAndGet(TimeUnit.SECONDS.toNanos(30));
    assertEquals(Optional.of(new Owner(1001)), expected(users));
    assertEquals(2, lookups.get());
  }

  @Test
  void aUserWhomTheHostDoesNotKnowIsNamed() {
    runAsThemselves();
    ContainerUsers users = users();
    users.containerStarted(APPLICATION, "carol");
    IOException e = assertThrows(IOException.class, () -> users.expected(APPLICATION));
    assertEquals("this host has no user carol", e.getMessage());
  }

  /** The real look-up, with the only name that every host has. */
  @Test
  void rootIsZero() throws IOException {
    runAsThemselves();
    ContainerUsers users = ContainerUsers.of(conf);
    users.containerStarted(APPLICATION, "root");
    assertEquals(Optional.of(new Owner(0)), users.expected(APPLICATION));
  }

  private void runAsThemselves() {
    conf.set(EXECUTOR, STOCK + "LinuxContainerExecutor");
    conf.set(NONSECURE + "limit-users", "false");
  }

  private static void assertFails(ContainerUsers users, String why) {
    IOException e = assertThrows(IOException.class, () -> expected(users));
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }
}
