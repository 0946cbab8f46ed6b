package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.hadoop.reduce.FetchedOutput.LocatedOutput;
import io.sluice.hadoop.reduce.FetchedOutput.StagedOutput;
import io.sluice.hadoop.reduce.PoolRun.PoolRuns;
import io.sluice.hadoop.reduce.ReducerInput.LostOutputs;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeBusyException;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.TestFetches;
import io.sluice.node.testing.Errnos;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.DecryptedRunInput.ForgedRunException;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ChecksumException;
import io.sluice.spill.merge.RunInput.ClosedRunException;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the ApplicationMaster hears of a fetch that failed while runs were merged. */
final class LostOutputsTest {
  private static final NodeAddress FIRST = NodeAddress.ofService("localhost", 1);
  private static final NodeAddress SECOND = NodeAddress.ofService("localhost", 2);

  /** Maps 0 and 1 ran on the first node, maps 2 and 3 on the second. */
  private static final List<TaskAttemptID> MAPS =
      IntStream.range(0, 4).mapToObj(map -> TestJob.map(map, 0)).toList();

  private final List<String> heard = new ArrayList<>();
  private final List<NodeAddress> asked = new ArrayList<>();
  private final Set<String> damaged = new HashSet<>();
  private final Set<NodeAddress> silent = new HashSet<>();
  private final LostOutputs lostOutputs =
      new LostOutputs(runs(), () -> {}, report(), this::isDamaged);

  private static List<MergeRun> runs() {
    List<MergeRun> runs = new ArrayList<>();
    for (int node = 0; node < 2; node++) {
      List<String> maps =
          MAPS.subList(2 * node, 2 * node + 2).stream().map(Object::toString).toList();
      NodeReader.Located located = TestFetches.located(node == 0 ? FIRST : SECOND, maps);
      PoolRuns all = new PoolRuns(located.runs(), null);
      for (String map : maps) {
        runs.addAll(new LocatedOutput(all, located.outputs().get(map)).runs());
      }
    }
    return runs;
  }

  private LostOutputs.Report report() {
    return new LostOutputs.Report() {
      @Override
      public void outputUnreadable(TaskAttemptID map) {
        heard.add("unreadable " + MAPS.indexOf(map));
      }

      @Override
      public void outputForged() {
        heard.add("forged");
      }
    };
  }

  private boolean isDamaged(NodeAddress address, String outputId) throws IOException {
    asked.add(address);
    if (silent.contains(address)) {
      throw new IOException("silent for a test");
    }
    return damaged.contains(outputId);
  }

  private static FetchFailedException failure(int map, IOException cause) {
    return TestFetches.failed(MAPS.get(map).toString(), cause);
  }

  /** One byte that is another than was written. */
  private static ChecksumException mismatch() {
    RunInput zeros =
        new RunInput() {
          @Override
          public int read(byte[] dst, int offset, int lengthBytes) {
            return 1;
          }

          @Override
          public long remainingBytes() {
            return 1;
          }

          @Override
          public void close() {}
        };
    int wrong = BlockChecksums.crc32c(new byte[1], 0, 1) ^ 1;
    RunInput damaged = new VerifiedRunInput("test", zeros, 1, BlockChecksums.of(wrong));
    return assertThrows(ChecksumException.class, () -> damaged.read(new byte[1], 0, 1));
  }

  /** A run that nobody encrypted. */
  private static IOException forged() {
    RunInput zeros =
        new RunInput() {
          @Override
          public int read(byte[] dst, int offset, int lengthBytes) {
            return lengthBytes;
          }

          @Override
          public long remainingBytes() {
            return 100;
          }

          @Override
          public void close() {}
        };
    try (ShuffleKey key = new ShuffleKey(new byte[16], TestJob.APPLICATION, 128)) {
      RunInput input =
          new DecryptedRunInput(
              "test", zeros, 100, key.reading(new OutputId(TestJob.APPLICATION, "m")), 0, 0);
      return assertThrows(ForgedRunException.class, () -> input.read(new byte[9], 0, 9));
    }
  }

  /** It may be this process's memory that is damaged: no service can know. */
  @Test
  void aForgedOutputIsCountedAndCheckedAndReportedOnce() {
    assertHears(List.of("forged", "unreadable 1"), List.of(FIRST), failure(1, forged()));
  }

  private void assertHears(List<String> what, List<NodeAddress> from, IOException failure) {
    assertSame(failure, lostOutputs.report(failure));
    assertEquals(what, heard);
    assertEquals(from, asked);
  }

  @Test
  void whatCouldNotBeReadIsReportedOnce() {
    assertHears(
        List.of("unreadable 3"), List.of(SECOND), failure(3, new TransportException("cut")));
  }

  @Test
  void whatItsNodeCannotReadEitherIsReportedOnce() {
    damaged.add(MAPS.get(3).toString());
    assertHears(
        List.of("unreadable 3"), List.of(SECOND), failure(3, new TransportException("cut")));
  }

  /** Of this node's own pool no transport reads. */
  @Test
  void aFileThatIsCutIsCheckedWhereItIsReadInPlaceToo() {
    damaged.add(MAPS.get(0).toString());
    assertHears(List.of("unreadable 0"), List.of(FIRST), failure(0, new EOFException("cut")));
  }

  /** As often as any: the next attempt hears that the node does not hold it any more. */
  @Test
  void damageThatItsNodeConfirmsIsReportedOnce() {
    damaged.add(MAPS.get(2).toString());
    assertHears(List.of("unreadable 2"), List.of(SECOND), failure(2, mismatch()));
  }

  /** It may be this process's memory that is damaged. */
  @Test
  void damageThatItsNodeDoesNotFindIsReportedOnce() {
    assertHears(List.of("unreadable 0"), List.of(FIRST), failure(0, mismatch()));
  }

  @Test
  void damageOfWhichASilentNodeSaysNothingIsReportedOnce() {
    silent.add(FIRST);
    damaged.add(MAPS.get(1).toString());
    assertHears(List.of("unreadable 1"), List.of(FIRST), failure(1, mismatch()));
  }

  /** As when the bytes of what is not held any more are overwritten. */
  @Test
  void aMismatchThatIsOnlySuppressedIsNoDamage() {
    FetchFailedException failure = failure(0, null);
    failure.addSuppressed(mismatch());
    assertHears(List.of("unreadable 0"), List.of(), failure);
  }

  /** The node is not even asked, which would say that it is: nothing was seen of the bytes. */
  @ParameterizedTest
  @MethodSource("io.sluice.node.testing.Errnos#ofAMoment")
  void noErrnoIsALoss(String errno) {
    damaged.add(MAPS.get(0).toString());
    for (IOException each : Errnos.failures(errno)) {
      new LostOutputs(runs(), () -> {}, report(), this::isDamaged).report(failure(0, each));
    }
    assertFalse(heard.contains("forged"), heard.toString());
    assertEquals(List.of(), asked, "the service need not look at its bytes");
  }

  @Test
  void aBusyNodeIsNoLoss() {
    NodeBusyException busy = TestFetches.busy();
    assertHears(List.of(), List.of(), busy);
  }

  /** Whatever it kept this process from: another attempt of the map would not bring it back. */
  @ParameterizedTest
  @ValueSource(strings = {"Too many open files", "Cannot allocate memory"})
  void aShortageOfThisProcessIsNoLoss(String errno) {
    for (IOException each : Errnos.failures(errno)) {
      assertHears(List.of(), List.of(), failure(0, each));
      assertHears(List.of(), List.of(), each);
    }
  }

  /** Nor are the others read for whose fault it may be. */
  @Test
  void aFailureOfThisProcessIsNoOutputs() {
    IOException own = TestFetches.readerFailed();
    assertHears(List.of(), List.of(), own);
    assertEquals(0, own.getSuppressed().length);
  }

  @Test
  void theFirstFailureIsReportedAndNoOther() {
    assertHears(List.of("unreadable 0"), List.of(), failure(0, null));
    assertHears(List.of("unreadable 0"), List.of(), failure(2, null));
  }

  /** What was staged is no map's, and throws again what it has thrown. */
  @Test
  void aFailureOfWhatWasStagedIsNobodysAndStaysWhatItWas() {
    IOException failure = new IOException("damaged for a test");
    LostOutputs ofStaged = of(failing(failure));
    assertSame(failure, ofStaged.report(failure));
    assertEquals(List.of(), heard);
  }

  /** As of runs that the merge has read to their ends when a codec fails in another. */
  @Test
  void runsThatAreClosedAreNotBlamed() {
    IOException failure = new IOException("a codec's");
    RunInput closed = failing(new ClosedRunException("test"));
    assertSame(failure, of(closed).report(failure));
    assertEquals(0, failure.getSuppressed().length);
    assertEquals(List.of(), heard);
    ClosedRunException ended = new ClosedRunException("test");
    assertHears(List.of(), List.of(), ended);
    assertEquals(0, ended.getSuppressed().length, "not even looked for");
  }

  /** Of a million runs that rounds have merged, what has read them would fill the heap. */
  @Test
  void aRunThatWasReadToItsEndIsForgottenOnceItIsClosed() throws IOException {
    PoolRun run = poolRun(0);
    RunInput input = run.input();
    assertEquals(-1, input.read(new byte[1], 0, 1));
    assertSame(input, run.input(), "not before");
    run.close();
    assertNotSame(input, run.input());
    assertFalse(run.isUntouched());
    assertThrows(ClosedRunException.class, () -> run.input().read(new byte[1], 0, 1));
    assertThrows(IllegalStateException.class, run::opened);
    IOException failure = new IOException("a codec's");
    LostOutputs ofMerged = new LostOutputs(List.of(run), () -> {}, report(), this::isDamaged);
    assertSame(failure, ofMerged.report(failure));
    assertEquals(0, failure.getSuppressed().length);
    assertEquals(List.of(), heard);
    run.suspend();
    run.close();
  }

  /** Where the merge has failed before, this one may be why. */
  @Test
  void aRunThatWasNotReadToItsEndIsLookedInto() throws IOException {
    PoolRun run = poolRun(1);
    RunInput input = run.input();
    run.close();
    assertSame(input, run.input());
  }

  private static PoolRun poolRun(int lengthBytes) {
    List<String> maps = List.of(MAPS.get(0).toString());
    NodeReader.Located located = TestFetches.located(FIRST, maps, lengthBytes);
    PoolRuns all = new PoolRuns(located.runs(), null);
    return new LocatedOutput(all, located.outputs().get(maps.get(0))).runs().get(0);
  }

  private static RunInput failing(IOException failure) {
    return new RunInput() {
      @Override
      public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
        throw failure;
      }

      @Override
      public long remainingBytes() {
        return 1;
      }

      @Override
      public void close() {}
    };
  }

  private LostOutputs of(RunInput input) {
    return new LostOutputs(
        List.of(new StagedOutput.Run("test", 1, RunForm.PLAIN, input)),
        () -> {},
        report(),
        this::isDamaged);
  }
}
