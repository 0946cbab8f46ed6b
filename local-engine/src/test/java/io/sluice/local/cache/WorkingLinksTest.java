package io.sluice.local.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.local.staging.ProcessDirectories;
import io.sluice.local.staging.ProcessDirectories.ProcessName;
import io.sluice.spill.segment.ProcessDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.mapred.JobID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may have a name in the working directory. */
@SuppressWarnings("try") // links are there, and closed early
@Timeout(300)
final class WorkingLinksTest {
  private static final int OTHER_PID = 999_999_999;

  @TempDir private Path directory;
  private Path working;

  @BeforeEach
  void make() throws IOException {
    working = Files.createDirectory(directory.resolve("working"));
  }

  private static JobID job(int number) {
    return new JobID("links", number);
  }

  private WorkingLinks take(int job, Map<String, String> files, BooleanSupplier isCancelled)
      throws IOException {
    return take(job, files, Set.of(), isCancelled);
  }

  private WorkingLinks take(
      int job, Map<String, String> files, Set<JobID> ancestors, BooleanSupplier isCancelled)
      throws IOException {
    Map<String, Path> targets = new java.util.HashMap<>();
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path target = directory.resolve("of" + job + file.getKey());
      targets.put(file.getKey(), Files.writeString(target, file.getValue()));
    }
    return WorkingLinks.make(working, targets, job(job), ancestors, isCancelled);
  }

  private String read(String name) throws IOException {
    return Files.readString(working.resolve(name));
  }

  /** Takes a name in another thread, and returns when it waits. */
  private CompletableFuture<WorkingLinks> waits(int job, String name, String content)
      throws InterruptedException {
    CountDownLatch waits = new CountDownLatch(1);
    CompletableFuture<WorkingLinks> links = new CompletableFuture<>();
    BooleanSupplier asked =
        () -> {
          waits.countDown(); // it is asked when it waits
          return false;
        };
    Thread thread =
        new Thread(
            () -> {
              try {
                links.complete(take(job, Map.of(name, content), asked));
              } catch (Throwable e) {
                links.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    assertTrue(waits.await(120, TimeUnit.SECONDS), links::toString);
    return links;
  }

  @Test
  void aJobThatATaskHasStartedDoesNotWait() throws Exception {
    try (WorkingLinks first = take(1, Map.of("a", "1"), () -> false)) {
      IOException failure =
          assertThrows(
              IOException.class, () -> take(2, Map.of("a", "2"), Set.of(job(1)), () -> false));
      assertTrue(failure.getMessage().contains("wait for each other"), failure.getMessage());
      assertTrue(failure.getMessage().contains(job(1).toString()), failure.getMessage());
      take(3, Map.of("a", "1"), Set.of(job(1)), () -> false).close(); // the same content
      assertEquals("1", read("a"));
    }
  }

  @Test
  void aJobThatHasWaitedInVainIsInNobodysWay() throws Exception {
    try (WorkingLinks second = take(2, Map.of("b", "2"), () -> false)) {
      IOException cancelled =
          assertThrows(IOException.class, () -> take(3, Map.of("a", "3", "b", "3"), () -> true));
      assertTrue(cancelled.getMessage().startsWith("killed"), cancelled.getMessage());
      take(4, Map.of("a", "4"), () -> true).close();
      assertEquals("2", read("b"));
    }
  }

  @Test
  void jobsThatWantTheSameNamesDoNotWaitForEachOther() throws Exception {
    WorkingLinks first = take(1, Map.of("b", "1"), () -> false);
    CompletableFuture<WorkingLinks> second = waits(2, "b", "2");
    try (WorkingLinks third = take(3, Map.of("a", "3"), () -> false)) {
      first.close();
      second.get(120, TimeUnit.SECONDS).close();
      assertEquals("3", read("a"));
    }
  }

  /** What this process has there, as another would have it. */
  private ProcessName here() throws IOException {
    Path own = ProcessDirectories.in(directory.toString(), "test.dir");
    return ProcessDirectories.ownerOf(own).orElseThrow().process();
  }

  private ProcessDirectory process(ProcessName name) throws IOException {
    return ProcessDirectory.create(directory, "sluice-local", name.text(), "test.dir");
  }

  private ProcessDirectory process(long pid) throws IOException {
    ProcessName of = here();
    return process(
        new ProcessName(pid, 1, of.boot(), of.pids(), of.mounts(), of.base(), of.host()));
  }

  private static ProcessName ofContainer(ProcessName of, long pid, String base) {
    return new ProcessName(pid, 1, of.boot(), "1", "2", base, "other.example");
  }

  /** Of a host's earlier boot, or of a container that has a boot of its own. */
  private static ProcessName ofOtherBoot(ProcessName of, String host) {
    return new ProcessName(
        OTHER_PID, 1, "0123456789abcdef", of.pids(), of.mounts(), of.base(), host);
  }

  private void assumeThatNoOtherHostWritesHere() throws IOException {
    String type = Files.getFileStore(working).type();
    assumeTrue(LinkOwner.isOfOneHost(type), () -> "another host may write to " + type);
  }

  private Path linkOf(ProcessDirectory process, String content) throws IOException {
    Path copies = Files.createDirectories(process.directory().resolve("job_7_0001/sluice-cache/0"));
    Path copy = Files.writeString(copies.resolve("a"), content);
    return Files.createSymbolicLink(working.resolve("a"), copy);
  }

  /** Also with the same content: the other removes its link, and its copy, when it ends. */
  @Test
  void aJobWaitsForAnotherProcess() throws Exception {
    ProcessDirectory other = process(OTHER_PID);
    Path link = linkOf(other, "same");
    CompletableFuture<WorkingLinks> waiting = waits(1, "a", "same");
    assertFalse(waiting.isDone());
    assertTrue(Files.readSymbolicLink(link).startsWith(other.directory()));
    Files.delete(link);
    try (WorkingLinks links = waiting.get(120, TimeUnit.SECONDS)) {
      assertEquals("same", read("a"));
      other.close();
      assertEquals("same", read("a"));
    }
    assertFalse(Files.exists(link));
  }

  @Test
  void aJobDoesNotWaitForAProcessThatMayWaitForIt() throws Exception {
    Optional<ProcessHandle> above = ProcessHandle.current().parent();
    assumeTrue(above.isPresent(), "this JVM is the first process");
    long parent = above.get().pid();
    try (ProcessDirectory other = process(parent)) {
      linkOf(other, "other");
      IOException failure =
          assertThrows(IOException.class, () -> take(1, Map.of("a", "1"), () -> false));
      assertTrue(
          failure.getMessage().contains("job_7_0001 of process " + parent), failure.getMessage());
      assertTrue(failure.getMessage().contains("wait for each other"), failure.getMessage());
    }
  }

  /** Its copy is there, and is not believed. */
  @Test
  void theLinkOfAProcessThatWasKilledIsReplaced() throws Exception {
    ProcessDirectory killed = process(OTHER_PID);
    linkOf(killed, "an old version");
    Path left = killed.directory();
    killed.close();
    Files.createDirectories(left.resolve("job_7_0001/sluice-cache/0"));
    Files.writeString(left.resolve("job_7_0001/sluice-cache/0/a"), "an old version");
    assertEquals("an old version", read("a"));
    try (WorkingLinks links = take(1, Map.of("a", "a new version"), () -> false)) {
      assertEquals("a new version", read("a"));
    }
    assertFalse(Files.exists(working.resolve("a"), java.nio.file.LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void aProcessThatDiesWhileAJobWaitsForItIsWaitedForNoMore() throws Exception {
    ProcessDirectory other = process(OTHER_PID);
    linkOf(other, "other");
    CompletableFuture<WorkingLinks> waiting = waits(1, "a", "1");
    other.close();
    try (WorkingLinks links = waiting.get(120, TimeUnit.SECONDS)) {
      assertEquals("1", read("a"));
    }
  }

  /** Where it is shared, what has gone from there is gone, and what is locked there lives. */
  @Test
  void aJobWaitsForAContainerThatSharesTheDirectory() throws Exception {
    long parent = ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(1L);
    ProcessDirectory other = process(ofContainer(here(), parent, here().base()));
    linkOf(other, "other");
    CompletableFuture<WorkingLinks> waiting = waits(1, "a", "1");
    other.close();
    try (WorkingLinks links = waiting.get(120, TimeUnit.SECONDS)) {
      assertEquals("1", read("a"));
    }
  }

  private void cannotTell(Path link) {
    IOException failure =
        assertThrows(IOException.class, () -> take(1, Map.of("a", "1"), () -> false));
    assertTrue(failure.getMessage().contains("cannot be determined"), failure.getMessage());
    assertTrue(failure.getMessage().contains("of host other.example"), failure.getMessage());
    assertTrue(Files.isSymbolicLink(link));
  }

  /** Its directory has the path of one of ours, and is not ours; its copies are not seen. */
  @Test
  void aContainerWhoseDirectoryIsNotSeenMayLive() throws Exception {
    ProcessDirectory other = process(ofContainer(here(), OTHER_PID, "1.2"));
    Path link = linkOf(other, "other");
    cannotTell(link);
    other.close();
    cannotTell(link);
  }

  /** As /tmp is emptied then. */
  @Test
  void aLinkFromBeforeTheBootIsReplacedWhereItsDirectoryHasGone() throws Exception {
    assumeThatNoOtherHostWritesHere();
    ProcessDirectory other = process(ofOtherBoot(here(), here().host()));
    linkOf(other, "other");
    other.close();
    try (WorkingLinks links = take(1, Map.of("a", "1"), () -> false)) {
      assertEquals("1", read("a"));
    }
  }

  @Test
  void aLinkFromBeforeTheBootIsReplacedWhereNobodyHoldsItsLock() throws Exception {
    assumeThatNoOtherHostWritesHere();
    ProcessDirectory other = process(ofOtherBoot(here(), here().host()));
    linkOf(other, "other");
    Path left = other.directory();
    other.close();
    Path copies = Files.createDirectories(left.resolve("job_7_0001/sluice-cache/0"));
    Files.writeString(copies.resolve("a"), "other");
    assertEquals("other", read("a"));
    try (WorkingLinks links = take(1, Map.of("a", "1"), () -> false)) {
      assertEquals("1", read("a"));
    }
  }

  /** A container with a boot of its own, or a host that this one exports the directory to. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aJobWaitsForAProcessOfAnotherBootThatHoldsItsLock(boolean hasOurName) throws Exception {
    assumeThatNoOtherHostWritesHere();
    String host = hasOurName ? here().host() : "other.example";
    ProcessDirectory other = process(ofOtherBoot(here(), host));
    Path link = linkOf(other, "other");
    CompletableFuture<WorkingLinks> waiting = waits(1, "a", "1");
    assertEquals("other", read("a"));
    assertTrue(Files.readSymbolicLink(link).startsWith(other.directory()));
    other.close();
    try (WorkingLinks links = waiting.get(120, TimeUnit.SECONDS)) {
      assertEquals("1", read("a"));
    }
  }

  @Test
  void aProcessOfAnotherHostWhoseDirectoryIsNotSeenMayLive() throws Exception {
    ProcessDirectory other = process(ofOtherBoot(here(), "other.example"));
    Path link = linkOf(other, "other");
    other.close();
    cannotTell(link);
  }

  /** Nor is it known to have gone: it has not, and its process lives. */
  @Test
  void aJobWaitsForACopyThatIsOutOfReach() throws Exception {
    ProcessDirectory other = process(OTHER_PID);
    Path job = other.directory().resolve("job_7_0001");
    Path link = Files.createSymbolicLink(working.resolve("a"), job.resolve("sluice-cache/0/a"));
    Files.createSymbolicLink(job, job); // whatever is below it cannot be reached
    CompletableFuture<WorkingLinks> waiting = waits(1, "a", "1");
    assertTrue(Files.isSymbolicLink(link));
    other.close();
    try (WorkingLinks links = waiting.get(120, TimeUnit.SECONDS)) {
      assertEquals("1", read("a"));
    }
  }

  @Test
  void aDirectoryThatCannotBeUsedIsNamedWithItsSetting() {
    IOException failure =
        assertThrows(IOException.class, () -> ProcessDirectories.in("/proc/none", "test.dir"));
    assertTrue(failure.getMessage().startsWith("/proc/none "), failure.getMessage());
    assertTrue(
        failure.getMessage().contains("Set another directory in test.dir"), failure.getMessage());
  }

  @Test
  void anotherHostMayWriteToFileSystemsOfANetwork() {
    for (String type : new String[] {"nfs", "nfs4", "cifs", "9p", "virtiofs", "fuse.sshfs", "?"}) {
      assertFalse(LinkOwner.isOfOneHost(type), type);
    }
  }

  private void isTheUsers(Path place) {
    IOException failure =
        assertThrows(IOException.class, () -> take(1, Map.of("a", "1"), () -> false));
    assertTrue(failure.getMessage().startsWith(place + " already exists"), failure.toString());
    assertTrue(Files.exists(place, java.nio.file.LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void whatTheUserHasThereIsNotReadInsteadAndStays() throws Exception {
    Path place = working.resolve("a");
    Files.writeString(place, "the user's");
    isTheUsers(place);
    Files.delete(place);
    Files.createDirectory(place);
    isTheUsers(place);
    Files.delete(place);
    Files.createSymbolicLink(place, directory.resolve("nowhere"));
    isTheUsers(place);
    Files.delete(place);
    assertEquals(0, new ProcessBuilder("mkfifo", place.toString()).start().waitFor());
    isTheUsers(place);
  }

  @Test
  void theUsersFileOfTheSameContentServes() throws Exception {
    Path place = Files.writeString(working.resolve("a"), "1");
    take(1, Map.of("a", "1"), () -> false).close();
    assertTrue(Files.isRegularFile(place, java.nio.file.LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void whatTookTheLinksPlaceIsNotRemoved() throws Exception {
    Path place = working.resolve("a");
    try (WorkingLinks links = take(1, Map.of("a", "1"), () -> false)) {
      Files.delete(place);
      Files.writeString(place, "the user's");
    }
    assertEquals("the user's", Files.readString(place));
  }
}
