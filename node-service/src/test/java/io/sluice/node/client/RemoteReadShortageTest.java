package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reader that has no descriptor left: neither an output nor a transport is at fault. */
@Timeout(300)
class RemoteReadShortageTest {
  private static final String APP = "application_1_0001";
  private static final String ID = "attempt_0";
  private static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));
  private static final long TIMEOUT_MS = 120_000;
  private static final int WINDOW_BYTES = 64 << 10;
  private static final int RUN_BYTES = 60_000;
  private static final int ALWAYS = Integer.MAX_VALUE;

  @TempDir Path directory;
  private final Short best = new Short();
  private TestOutput output;
  private MovingNode node;

  /** The best transport, whose next connections and reads find no descriptor, say. */
  private static final class Short extends WrappedTcp {
    private int failures;
    private String errno = "Too many open files";

    @Override
    public String name() {
      return "faulty-tcp";
    }

    private boolean fails() {
      return failures > 0 && failures-- > 0;
    }

    private TransportException failure() {
      return new TransportException("cannot connect, for a test", new SocketException(errno));
    }

    @Override
    protected TransportException refusal() {
      return fails() ? failure() : null;
    }

    @Override
    protected CompletableFuture<Void> read(
        Connection below, Supplier<CompletableFuture<Void>> read) {
      return fails() ? CompletableFuture.failedFuture(failure()) : read.get();
    }
  }

  @BeforeEach
  void start() throws IOException {
    Random random = TestSeed.random();
    output = TestOutput.single(random, ID, RUN_BYTES);
    node = new MovingNode(directory.resolve("pool"), SECRET, output, random);
  }

  @AfterEach
  void close() throws IOException {
    node.close();
  }

  private NodeReader reader(long restartMs) {
    return new NodeReader(
        APP,
        SECRET,
        new Transports(List.of(best, new TcpProvider()), WINDOW_BYTES, 2 * WINDOW_BYTES),
        null,
        new Timeouts(TIMEOUT_MS, restartMs, TIMEOUT_MS));
  }

  private NodeRun locate(NodeReader reader) throws IOException {
    return reader.locate(node.address(), PartitionRange.one(0), List.of(ID)).get(ID).get(0);
  }

  private static byte[] read(NodeRun run) throws IOException {
    byte[] bytes = new byte[RUN_BYTES];
    try (RunInput input = run.input()) {
      for (int done = 0; done < bytes.length; ) {
        done += input.read(bytes, done, bytes.length - done);
      }
    }
    return bytes;
  }

  @Test
  void whatIsShortForAMomentIsReadOverTheSameTransport() throws IOException {
    try (NodeReader reader = reader(TIMEOUT_MS)) {
      NodeRun run = locate(reader);
      int asked = node.questions();
      best.failures = 3;
      assertArrayEquals(output.runs().get(0), read(run));
      assertEquals(RUN_BYTES, reader.stats().bytes("faulty-tcp"));
      assertEquals(0, reader.stats().transportFallbacks());
      assertEquals(asked, node.questions(), "it would need a descriptor, too");
    }
  }

  @Test
  void whatIsShortForLongIsTheReadersOwn() throws IOException {
    try (NodeReader reader = reader(1)) {
      NodeRun run = locate(reader);
      best.failures = ALWAYS;
      ReaderFailedException told = assertThrows(ReaderFailedException.class, () -> read(run));
      assertTrue(FailureMeaning.isShort(told), told.getMessage());
      assertEquals(0, reader.stats().transportFallbacks());
    }
  }

  @Test
  void aReaderThatWaitsForADescriptorIsInterrupted() throws Exception {
    try (NodeReader reader = reader(TIMEOUT_MS)) {
      NodeRun run = locate(reader);
      best.failures = ALWAYS;
      Thread self = Thread.currentThread();
      FutureTask<Void> interrupting =
          new FutureTask<>(
              () -> {
                Await.until("it waits", () -> waits(self));
                self.interrupt();
              },
              null);
      new Thread(interrupting, "interrupting").start();
      assertThrows(InterruptedIOException.class, () -> read(run));
      assertTrue(Thread.interrupted());
      interrupting.get();
    }
  }

  private static boolean waits(Thread reader) {
    return Arrays.stream(reader.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(BusyBackoff.class.getName()));
  }

  /** Memory that one transport lacks, say, may be nothing that another one needs. */
  @ParameterizedTest
  @ValueSource(strings = {"Cannot allocate memory", "Cannot assign requested address"})
  void whatOneTransportLacksIsReadOverAnother(String errno) throws IOException {
    try (NodeReader reader = reader(TIMEOUT_MS)) {
      NodeRun run = locate(reader);
      best.errno = errno;
      best.failures = ALWAYS;
      assertArrayEquals(output.runs().get(0), read(run));
      assertEquals(RUN_BYTES, reader.stats().bytes("tcp"));
      assertEquals(1, reader.stats().transportFallbacks());
    }
    try (NodeReader reader = reader(TIMEOUT_MS)) {
      locate(reader);
      reader.reach(node.address());
      assertEquals(1, reader.stats().transportFallbacks());
    }
  }

  @Test
  void noTransportIsGivenUpWhereNoneCouldBeTried() throws IOException {
    try (NodeReader reader = reader(TIMEOUT_MS)) {
      NodeRun run = locate(reader);
      best.failures = 1;
      IOException told = assertThrows(IOException.class, () -> reader.reach(node.address()));
      assertSame(SocketException.class, told.getCause().getClass());
      reader.reach(node.address());
      assertArrayEquals(output.runs().get(0), read(run));
      assertEquals(RUN_BYTES, reader.stats().bytes("faulty-tcp"));
      assertEquals(0, reader.stats().transportFallbacks());
    }
  }
}
