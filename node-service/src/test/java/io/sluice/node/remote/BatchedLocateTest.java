package io.sluice.node.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentName;
import io.sluice.spill.segment.Tier;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many requests a question takes where answers are too long. */
class BatchedLocateTest {
  private static final int OUTPUTS = 5_000;
  private static final List<String> IDS =
      IntStream.range(0, OUTPUTS).mapToObj(number -> "attempt_" + number).toList();
  private static final UUID POOL = UUID.randomUUID();
  private static final int SEGMENT_ID = 1;

  private final Map<String, Integer> runCounts = new HashMap<>();
  private int answered;
  private int refused;

  /** As a service does; one partition of one output is never too much. */
  private OutputLocations describe(PartitionRange partitions, List<String> outputIds)
      throws IOException {
    OutputLocations answer = new OutputLocations(new HashMap<>(), new HashMap<>());
    for (String id : outputIds) {
      List<LocatedRun> runs = new ArrayList<>();
      for (int p = partitions.first(); p < partitions.end(); p++) {
        runs.addAll(runs(p, runCounts.getOrDefault(id, 1)));
      }
      answer.runs().put(id, runs);
    }
    boolean divisible = outputIds.size() > 1 || partitions.count() > 1;
    if (divisible && answer.gatheredBytes() > OutputLocations.MAX_ANSWER_BYTES) {
      refused++;
      throw new RemoteError(RemoteError.Code.TOO_MUCH, "expected by this test");
    }
    answered++;
    return answer;
  }

  private static List<LocatedRun> runs(int partition, int count) {
    List<LocatedRun> runs = new ArrayList<>();
    RunLocation place = new RunLocation(POOL, 1, List.of(new Range(SEGMENT_ID, 0, 10)));
    for (int ordinal = 0; ordinal < count; ordinal++) {
      Run run = new Run(partition, ordinal, 10, 10, 0, 1, BlockChecksums.of(5));
      runs.add(new LocatedRun(run, place));
    }
    return runs;
  }

  private OutputLocations ask(PartitionRange partitions, List<String> ids) throws IOException {
    return new BatchedLocate(this::describe).ask(partitions, ids);
  }

  /** The defect was: it began with the same question each time, and was refused each time. */
  @Test
  void itKeepsToWhatWasNotTooMuch() throws IOException {
    IDS.forEach(id -> runCounts.put(id, 20));
    OutputLocations whole = ask(PartitionRange.one(0), IDS);
    assertEquals(OUTPUTS, whole.runs().size());
    whole.runs().values().forEach(runs -> assertEquals(20, runs.size()));
    assertTrue(refused <= 2, refused + " refused");
    assertTrue(answered <= OUTPUTS / 125, answered + " answered");
  }

  @Test
  void itAsksForMoreAgainBehindOneOutputOfManyRuns() throws IOException {
    runCounts.put("attempt_700", 50_000);
    OutputLocations whole = ask(PartitionRange.one(0), IDS);
    assertEquals(OUTPUTS, whole.runs().size());
    assertEquals(50_000, whole.runs().get("attempt_700").size());
    assertTrue(refused + answered < 50, refused + " refused, " + answered + " answered");
  }

  @Test
  void partitionsOfAnOutputComeInTheirOrder() throws IOException {
    runCounts.put("attempt_0", 100);
    OutputLocations whole = ask(new PartitionRange(3, 1_203), IDS.subList(0, 2));
    List<LocatedRun> expected =
        IntStream.range(3, 1_203).mapToObj(p -> runs(p, 100)).flatMap(List::stream).toList();
    assertEquals(expected, whole.runs().get("attempt_0"));
    assertEquals(1_200, whole.runs().get("attempt_1").size());
    assertTrue(refused > 0, "all was asked for at once");
  }

  @Test
  void nothingIsAskedForNoOutput() throws IOException {
    assertEquals(Map.of(), ask(PartitionRange.one(0), List.of()).runs());
    assertEquals(0, answered);
  }

  /** Both sides count so what an answer takes. */
  @Test
  void anAnswerIsAsLongAsItIsCounted() throws IOException {
    PoolPaths places = PoolPaths.owned(POOL, new Owner(1), Path.of("/pool"), List.of());
    Path path = Path.of("/pool", SegmentName.of(POOL, SEGMENT_ID, 0, new Owner(1)).toString());
    SegmentInfo segment = new SegmentInfo(SEGMENT_ID, Tier.MEMORY, path, 1 << 20);
    RegionDescriptor region = new RegionDescriptor(7, 77, 1 << 20, new byte[] {1, 2});
    int runBytes = 2 * BlockChecksums.BLOCK_BYTES + 1;
    Run run = new Run(0, 0, runBytes, runBytes, 0, 1, BlockChecksums.of(5, 6, 7));
    List<Range> ranges =
        List.of(new Range(SEGMENT_ID, 0, 10), new Range(SEGMENT_ID, 90, runBytes - 10));
    OutputLocations description =
        new OutputLocations(
            Map.of(SEGMENT_ID, new SegmentLocation(segment, Map.of("tcp", region, "ucx", region))),
            Map.of(
                "attempt_0", List.of(new LocatedRun(run, new RunLocation(POOL, 1, ranges))),
                "attempt_10", List.of()));
    DataOutputStream out = new DataOutputStream(OutputStream.nullOutputStream());
    RemoteProtocol.writeDescription(out, description, places);
    int countsBytes = 2 * Integer.BYTES; // of segments and of outputs
    assertEquals(out.size(), description.gatheredBytes() + countsBytes);
  }
}
