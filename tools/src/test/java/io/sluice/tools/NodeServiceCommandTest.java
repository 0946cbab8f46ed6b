package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.service.NodeService;
import io.sluice.node.socket.ServiceFile;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.spill.disk.Device;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.testing.TestOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A node's service as its command starts, keeps and ends it. */
class NodeServiceCommandTest {
  private static final JobSecret SECRET = new JobSecret(new byte[] {1});
  private static final long TIMEOUT_MS = 60_000;

  @TempDir private Path base;
  private NodeService service;

  @BeforeEach
  void start() throws IOException {
    service = command("service", "--overflow-dirs=" + base).start();
  }

  @AfterEach
  void stop() throws IOException {
    service.close();
  }

  private NodeServiceCommand command(String directory, String option) {
    NodeServiceCommand command = new NodeServiceCommand();
    new CommandLine(command)
        .parseArgs(
            "--dir=" + base.resolve(directory),
            "--capacity=16m",
            "--segment-size=4m",
            "--bind=127.0.0.1",
            "--port=0",
            option);
    return command;
  }

  @Test
  void transportsListenWhereTheyAreTold() throws IOException {
    try (NodeService other = command("other", "--data-bind=127.0.0.2").start()) {
      assertEquals("127.0.0.2", other.endpoints().address("tcp").getAddress().getHostAddress());
    }
    assertEquals("127.0.0.1", service.endpoints().address("tcp").getAddress().getHostAddress());
  }

  @Test
  void settingsOfTheNetworkAreCheckedByNameAndValue() throws IOException {
    command("other", "--verbs=traffic-class=104,partition-key=0x8001").start().close();
    assertRefusal(
        "--verbs=trafic-class=104",
        "--verbs trafic-class is no setting of Sluice; the nearest name is --verbs traffic-class");
    assertRefusal(
        "--verbs=traffic-class=256",
        "--verbs traffic-class is '256', expected a whole number from 0 to 255");
  }

  private void assertRefusal(String option, String message) {
    NodeServiceCommand command = command("refused", option);
    assertEquals(
        message, assertThrows(IllegalArgumentException.class, command::start).getMessage());
  }

  @Test
  void oneNumberIsAllTheMemoryOfTheNode() throws IOException {
    NodeServiceCommand command = new NodeServiceCommand();
    new CommandLine(command)
        .parseArgs(
            "--dir=" + base.resolve("other"),
            "--memory=35m",
            "--segment-size=4m",
            "--transport=tcp",
            "--overflow-dirs=" + base.resolve("disk"),
            "--bind=127.0.0.1",
            "--port=0");
    try (NodeService other = command.start()) {
      assertEquals(16 << 20, other.nodeMemory().tierBytes()); // the disk has the rest
      assertEquals(Device.MEMORY_BYTES, other.nodeMemory().diskBytes());
    }
    String message =
        assertThrows(IOException.class, () -> command("third", "--memory=32m").start())
            .getMessage();
    assertTrue(message.contains("--memory and --capacity"), message);
  }

  /** The system's temporary directory is emptied by cleaners while the service runs. */
  @Test
  void overflowGoesNowhereUnlessToldWhere() throws IOException {
    try (NodeService other = command("other", "--medium=plain").start();
        Lease lease = other.openLease("app-1", SECRET)) {
      String message =
          assertThrows(StoreFullException.class, () -> lease.lease(17 << 20)).getMessage();
      assertTrue(message.contains("no disk tier"), message);
    }
  }

  @Test
  void anApplicationThatCannotBeForgottenStopsNeitherTheServiceNorTheOthers() throws IOException {
    for (int i = 0; i < 5; i++) {
      String application = "app-" + i;
      try (SocketClient task =
          SocketClient.connect(
              service.metadata().address().socket(), application, SECRET, TIMEOUT_MS)) {
        TestOutput.single(new Random(i), "output", 10).commit(application, task);
      }
      // Where its secret is kept, something that cannot be deleted.
      Path secret = base.resolve("service/applications").resolve(application);
      Files.delete(secret);
      Files.createDirectories(secret.resolve("full"));
    }
    assertEquals(5, service.store().stats().outputs());
    command("service", "--keep=0s").removeLeftovers(service);
    assertEquals(0, service.store().stats().outputs());
    assertEquals(Set.of(), service.applications().notHeardOf(0));
  }

  /** As cleaners of temporary directories do. */
  @Test
  void whatSomebodyRemovesIsThereAgain() throws IOException {
    Path directory = base.resolve("service");
    ServiceAddress address = ServiceFile.read(directory);
    NodeServiceCommand command = command("service", "--medium=plain");
    try (SocketClient before =
        SocketClient.connect(address.socket(), "app-1", SECRET, TIMEOUT_MS)) {
      Files.delete(address.socket());
      Files.delete(directory.resolve("service.properties"));
      String said = logOf(() -> command.restoreRemoved(service));
      assertTrue(said.contains("Somebody had removed " + address.socket()), said);
      assertTrue(said.contains("tells executors of this service; it is there again"), said);
      assertEquals(address, ServiceFile.read(directory));
      try (SocketClient task =
          SocketClient.connect(address.socket(), "app-1", SECRET, TIMEOUT_MS)) {
        TestOutput.single(new Random(1), "new", 10).commit("app-1", task);
      }
      TestOutput.single(new Random(2), "old", 10).commit("app-1", before);
    }
    assertEquals(2, service.store().stats().outputs());
    assertEquals("", logOf(() -> command.restoreRemoved(service)), "nothing is missing");
  }

  /** Who made it may put there what he likes before anything is made, or while it is. */
  @Test
  void nothingIsMadeInADirectoryThatSomebodyElseMade() throws IOException {
    Path directory = base.resolve("service");
    Path moved = Files.move(directory, base.resolve("moved"));
    NodeServiceCommand command = command("service", "--medium=plain");
    String gone = logOf(() -> command.restoreRemoved(service));
    assertTrue(gone.contains(directory + ": no such file or directory"), gone);
    assertFalse(gone.contains("\tat "), "it has a stack trace: " + gone);
    assertEquals("", logOf(() -> command.restoreRemoved(service)), "it was said");
    Files.createDirectory(directory);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    String foreign = logOf(() -> command.restoreRemoved(service));
    assertTrue(foreign.contains("can be written by other users"), foreign);
    Files.delete(directory); // nothing is in it
    Files.move(moved, directory);
    assertEquals("", logOf(() -> command.restoreRemoved(service)), "nothing is missing");
  }

  @Test
  void aServiceThatEndsSaysWhatItLeaves() throws IOException {
    Path segment = service.store().paths().path(0, 0, 0);
    String said = logOf(() -> command("service", "--overflow-dirs=" + base).close(service));
    assertTrue(said.contains("stays for the next service"), said);
    assertTrue(said.contains(base.resolve("service").toString()), said);
    assertTrue(said.contains("sluice-overflow-" + Owner.nameOfThisProcess()), said);
    assertTrue(Files.exists(segment), "it keeps the pool");
    assertFalse(Files.exists(base.resolve("service/service.properties")));
  }

  private static String logOf(Runnable work) {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      work.run();
    } finally {
      System.setErr(before);
    }
    return log.toString(StandardCharsets.UTF_8);
  }
}
