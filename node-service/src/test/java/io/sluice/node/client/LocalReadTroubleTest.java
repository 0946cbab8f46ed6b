package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.testing.Errnos;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.testing.TestOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A reader that cannot open a file of its own node's pool, and what its node says then. */
@Timeout(300)
class LocalReadTroubleTest {
  private static final String APP = "application_1_0001";
  private static final String ID = "attempt_0";
  private static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));
  private static final long TIMEOUT_MS = 120_000;
  private static final int WINDOW_BYTES = 64 << 10;
  private static final int RUN_BYTES = 60_000;

  @TempDir Path directory;
  private TestOutput output;
  private MovingNode node;
  private NodeReader reader;
  private IOException failure; // null: files can be opened

  @BeforeEach
  void start() throws IOException {
    Random random = TestSeed.random();
    output = TestOutput.single(random, ID, RUN_BYTES);
    node = new MovingNode(directory.resolve("pool"), SECRET, output, random);
    reader = reader(TIMEOUT_MS);
  }

  private NodeReader reader(long restartMs) {
    return new NodeReader(
        APP,
        SECRET,
        new Transports(List.of(new TcpProvider()), WINDOW_BYTES, 2 * WINDOW_BYTES),
        new LocalPool(node.poolId(), node.places(), this::open),
        new Timeouts(TIMEOUT_MS, restartMs, TIMEOUT_MS));
  }

  @AfterEach
  void close() throws IOException {
    reader.close();
    node.close();
  }

  private SegmentFile open(SegmentInfo segment, boolean writable) throws IOException {
    if (failure != null) {
      throw failure;
    }
    return SegmentOpener.BY_NAME.open(segment, writable);
  }

  private NodeRun locate() throws IOException {
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

  @ParameterizedTest
  @MethodSource("io.sluice.node.testing.Errnos#ofAMoment")
  void noErrnoIsALoss(String errno) throws IOException {
    reader.close();
    reader = reader(1); // so long it tries what this process lacks
    for (IOException each : Errnos.failures(errno)) {
      NodeRun run = locate();
      int asked = node.questions();
      failure = each;
      IOException told = assertThrows(IOException.class, () -> read(run));
      assertEquals(FailureMeaning.NOT_NOW, FailureMeaning.ofReading(told), each.toString());
      if (FailureMeaning.isShort(each)) {
        assertInstanceOf(ReaderFailedException.class, told);
      } else {
        assertEquals(asked + 1, node.questions(), "its node said where it lies: there");
      }
    }
    failure = null;
    assertArrayEquals(output.runs().get(0), read(locate()));
  }

  /** The service, which is asked before anything is reported, finds its output whole. */
  @Test
  void aFileThatIsGoneForTheReaderAloneMayBeALoss() throws IOException {
    for (IOException each : List.of(new NoSuchFileException("segment"), new EOFException("cut"))) {
      NodeRun run = locate();
      failure = each;
      IOException told = assertThrows(FetchFailedException.class, () -> read(run));
      assertEquals(FailureMeaning.GONE, FailureMeaning.ofReading(told), each.toString());
      assertFalse(reader.isDamaged(node.address(), 0, ID));
      failure = null;
    }
  }

  /** As of a client whose lease was taken back: it can open nothing any more. */
  @Test
  void aRefusalToOpenForThisProcessIsNoOutputs() throws IOException {
    NodeRun run = locate();
    failure = new RemoteError(RemoteError.Code.REFUSED, "lost for a test");
    ReaderFailedException told = assertThrows(ReaderFailedException.class, () -> read(run));
    assertSame(failure, told.getCause());
  }

  /** The node is asked where the run lies now, and twice refuses to say. */
  @ParameterizedTest
  @EnumSource(RemoteError.Code.class)
  void whatIsNotNowIsAskedForAgain(RemoteError.Code code) throws IOException {
    NodeRun run = locate();
    node.move();
    node.takeFormer();
    RemoteError refusal = new RemoteError(code, "for a test");
    int asked = node.questions();
    node.refuse(refusal, 2);
    if (FailureMeaning.ofAsking(refusal)
        != FailureMeaning.GONE) { // it has told where the run lay before
      assertArrayEquals(output.runs().get(0), read(run));
      boolean askedAtLength = code == RemoteError.Code.TOO_MUCH; // and refused that, too
      assertEquals(asked + (askedAtLength ? 2 : 3), node.questions());
    } else {
      FetchFailedException told = assertThrows(FetchFailedException.class, () -> read(run));
      assertEquals(
          FailureMeaning.ofAsking(refusal), FailureMeaning.ofAsking((IOException) told.getCause()));
      assertEquals(asked + 1, node.questions());
    }
  }
}
