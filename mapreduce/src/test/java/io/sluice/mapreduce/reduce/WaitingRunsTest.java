package io.sluice.mapreduce.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.ReduceMerge.MergedRun;
import io.sluice.rdma.testing.TestSeed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class WaitingRunsTest {
  private static final Comparator<MergeRun> SHORTEST_FIRST =
      Comparator.comparingLong(MergeRun::leastBlockBytes).thenComparingLong(MergeRun::lengthBytes);

  private final Random random = TestSeed.random();
  private int made;

  /** Of few lengths, so that many are equal; its name is its number. */
  private MergeRun run() {
    long lengthBytes = random.nextInt(3);
    long rawLengthBytes = random.nextInt(3) * 1_000_000L;
    return new MergedRun(
        Integer.toString(made++), lengthBytes, rawLengthBytes, RunForm.PLAIN, 0, null);
  }

  @Test
  void theShortestAreTakenFirstAndTheEarlierOfEqualOnes() {
    for (int round = 0; round < 500; round++) {
      List<MergeRun> expected = new ArrayList<>();
      for (int i = random.nextInt(30); i > 0; i--) {
        expected.add(run());
      }
      WaitingRuns waiting = new WaitingRuns(expected);
      while (!expected.isEmpty()) {
        expected.sort(SHORTEST_FIRST); // and equal ones stay as they were added
        assertEquals(expected.size(), waiting.size());
        int count = random.nextInt(expected.size() + 1);
        List<MergeRun> first = expected.subList(0, count);
        assertEquals(List.copyOf(first), waiting.take(count));
        first.clear();
        LongStream blocks = expected.stream().mapToLong(MergeRun::leastBlockBytes);
        assertEquals(
            blocks.map(each -> -each).sorted().map(each -> -each).boxed().toList(),
            waiting.leastBlocksBytes().boxed().toList());
        if (random.nextInt(3) == 0) {
          MergeRun run = run();
          expected.add(run);
          waiting.add(run);
        }
      }
      assertEquals(List.of(), waiting.all());
    }
  }
}
