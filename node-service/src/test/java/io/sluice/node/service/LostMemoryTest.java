package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A service whose place in memory is gone, as after a reboot, and which copies outputs to disk. */
class LostMemoryTest extends NodeTestBase {
  private static final String OTHER = "application_1_0002";
  private static final int LENGTH_BYTES = 600_000;

  private final TestOutput output = TestOutput.single(new Random(1), "attempt_0", LENGTH_BYTES);
  private int port;

  @BeforeEach
  void start() throws IOException {
    port = FreePorts.inARow(3);
    start(true);
  }

  private void start(boolean copying) throws IOException {
    service =
        NodeService.start(
            withDisk(2, new TcpProvider())
                .overflow(List.of(disk()), 0, 0)
                .backgroundCopy(copying)
                .listen(LOOPBACK, port)
                .recover(true));
  }

  private Path disk() {
    return directory.resolve("tier");
  }

  private void awaitCopies(int outputs) {
    Await.until("the copies", () -> service.store().stats().copies().outputs() == outputs);
  }

  private void lose(boolean copying) throws IOException {
    service.close();
    PrivateDirectory.delete(home());
    start(copying);
  }

  @Test
  void outputsAndSecretsSurvive() throws IOException {
    commit(output);
    awaitCopies(1);
    lose(true);
    try (NodeReader reader = tcpReader(4)) {
      assertReads(reader, List.of(output));
    }
    service.applicationStopped(APP);
    assertEquals(0, service.store().stats().disk().createdBytes());
  }

  @Test
  void aReaderGoesOnInTheMiddleOfARun() throws IOException {
    commit(output);
    awaitCopies(1);
    try (NodeReader reader = tcpReader(2);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      run.prefetch(2);
      final byte[] first = readSome(run, 100_000);
      lose(true);
      final byte[] rest = readSome(run, LENGTH_BYTES - 100_000);
      byte[] expected = output.runs().get(0);
      assertArrayEquals(Arrays.copyOf(expected, 100_000), first);
      assertArrayEquals(Arrays.copyOfRange(expected, 100_000, LENGTH_BYTES), rest);
    }
  }

  @Test
  void whatHasEndedStaysEnded() throws IOException {
    commit(output);
    try (SocketClient task = task(OTHER)) {
      output.commit(OTHER, task);
    }
    awaitCopies(2);
    service.applicationStopped(OTHER);
    lose(true);
    assertEquals(1, service.store().stats().outputs());
    service.applicationStopped(APP);
    lose(true);
    assertEquals(0, service.store().stats().outputs());
    assertEquals(List.of(), List.of(applicationCopies().toFile().list()));
  }

  private Path applicationCopies() {
    return directory.resolve("tier-applications");
  }

  @Test
  void nobodyElseReadsTheSecretsThere() throws IOException {
    commit(output);
    awaitCopies(1);
    service.close();
    assertEquals("rwx------", permissions(applicationCopies()));
    assertEquals("rw-------", permissions(applicationCopies().resolve(APP)));
  }

  /** As where it is a file system of its own. */
  @Test
  void whatCannotBeReadThereStopsNoStart() throws IOException {
    commit(output);
    awaitCopies(1);
    service.close();
    Files.createDirectory(applicationCopies().resolve("lost+found"));
    PrivateDirectory.delete(home());
    start(true);
    try (NodeReader reader = tcpReader(4)) {
      assertReads(reader, List.of(output));
    }
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  /** Of an application of which nothing is known any more, nothing is kept. */
  @Test
  void withoutItsSecretAnOutputIsFreed() throws IOException {
    commit(output);
    awaitCopies(1);
    service.close();
    PrivateDirectory.delete(applicationCopies());
    PrivateDirectory.delete(home());
    start(true);
    assertEquals(0, service.store().stats().outputs());
    assertEquals(0, service.store().stats().disk().createdBytes());
  }

  @Test
  void withoutTheSettingTheDiskIsEmptied() throws IOException {
    commit(output);
    awaitCopies(1);
    lose(false);
    assertEquals(0, service.store().stats().outputs());
    assertEquals(0, service.store().stats().disk().createdBytes());
  }

  /** What it has written is nowhere; it must not be told otherwise. */
  @Test
  void aTaskThatWasWritingFails() throws IOException {
    try (SocketClient task = task(APP);
        OutputWriter writer = new OutputWriter(task, new PlainMedium(), 1, 128 << 10)) {
      byte[] run = output.runs().get(0);
      writer.beginRun(0);
      writer.write(run, 0, run.length / 2);
      lose(true);
      IOException failure =
          assertThrows(
              IOException.class,
              () -> {
                writer.write(run, run.length / 2, run.length - run.length / 2);
                writer.endRun(run.length, 1);
                writer.commit(new OutputId(APP, "attempt_0"));
              });
      assertTrue(failure.getMessage() != null, failure.toString());
    } catch (IOException e) {
      assertTrue(e.getMessage().contains("not leased"), e.toString()); // gives back what is gone
    }
    assertEquals(0, service.store().stats().outputs());
  }
}
