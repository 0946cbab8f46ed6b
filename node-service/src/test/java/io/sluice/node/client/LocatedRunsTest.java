package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What was packed comes out as it was. */
final class LocatedRunsTest {
  private static final NodeAddress ADDRESS = NodeAddress.ofService("localhost", 1);

  private final Random random = TestSeed.random();
  private final UUID poolId = new UUID(random.nextLong(), random.nextLong());
  private final PoolPaths places =
      PoolPaths.owned(poolId, new Owner(1), Path.of("/pool"), List.of(Path.of("/disk")));

  private LocatedRuns pack(OutputLocations description, Map<String, Integer> outputs, boolean local)
      throws IOException {
    LocalPool pool = local ? new LocalPool(poolId, places, SegmentOpener.BY_NAME) : null;
    RemoteNode node =
        new RemoteNode(
            ADDRESS,
            "",
            null,
            new Transports(List.of(), 1, 1),
            pool,
            new ReadStats(),
            Timeouts.all(1),
            asked -> {});
    return new LocatedRuns(
        node,
        new LocatedRuns.Task("", null, null),
        description,
        outputs,
        run -> run.run().ordinal() % 2 == 1);
  }

  private SegmentLocation segment(int id, PoolPaths ofReader) throws IOException {
    int incarnation = random.nextInt(3);
    int place = id < SegmentInfo.DISK_ID_BASE ? 0 : 1;
    SegmentInfo info =
        new SegmentInfo(
            id,
            incarnation,
            SegmentInfo.tierOf(id),
            ofReader.path(place, id, incarnation),
            (long) random.nextInt(2) << 40,
            1 << (20 + random.nextInt(2)),
            4096 * random.nextInt(2));
    Map<String, RegionDescriptor> regions = new HashMap<>();
    for (String transport : List.of("tcp", "ucx", "none").subList(0, random.nextInt(4))) {
      byte[] data = new byte[random.nextInt(3) * 100];
      random.nextBytes(data);
      regions.put(
          transport,
          new RegionDescriptor(
              random.nextLong(), random.nextLong(), random.nextInt(1 << 30), data));
    }
    return new SegmentLocation(info, regions);
  }

  private LocatedRun run(int partition, int ordinal, long generation, List<Integer> segments) {
    List<Range> ranges = new ArrayList<>();
    long lengthBytes = 0;
    for (int left = random.nextInt(4); left > 0; left--) {
      long bytes = 1 + random.nextInt(random.nextBoolean() ? 100 : 1 << 20);
      int id = segments.get(random.nextInt(segments.size()));
      ranges.add(new Range(id, random.nextLong() >>> 2, bytes));
      lengthBytes += bytes;
    }
    int[] further = random.ints(BlockChecksums.furtherBlocks(lengthBytes)).toArray();
    Run run =
        new Run(
            partition,
            ordinal,
            lengthBytes,
            random.nextLong() >>> 8,
            random.nextBoolean() ? 0 : 2 << random.nextInt(17),
            random.nextLong() >>> random.nextInt(64),
            BlockChecksums.of(random.nextInt(), further));
    return new LocatedRun(run, new RunLocation(poolId, generation, List.copyOf(ranges)));
  }

  /** Some of its segments are not described, and some runs have no byte. */
  private OutputLocations description(PoolPaths ofReader) throws IOException {
    List<Integer> ids = new ArrayList<>();
    Map<Integer, SegmentLocation> segments = new HashMap<>();
    for (int left = 1 + random.nextInt(5); left > 0; left--) {
      int id = random.nextInt(1 << 10) + (random.nextBoolean() ? SegmentInfo.DISK_ID_BASE : 0);
      ids.add(id);
      if (random.nextInt(4) > 0) {
        segments.put(id, segment(id, ofReader));
      }
    }
    Map<String, List<LocatedRun>> runs = new HashMap<>();
    String prefix = random.nextBoolean() ? "" : "attempt_";
    for (int output = random.nextInt(4); output > 0; output--) {
      List<LocatedRun> ofOutput = new ArrayList<>();
      long generation = random.nextLong() >>> 1;
      for (int partition = 0; partition < 300; partition += 100) {
        int count = random.nextInt(3);
        for (int ordinal = 0; ordinal < count; ordinal++) {
          ofOutput.add(run(partition, ordinal, generation, ids));
        }
      }
      runs.put(prefix + random.nextInt(20), ofOutput);
    }
    return new OutputLocations(segments, runs);
  }

  private void check(boolean local) throws IOException {
    OutputLocations description = description(local ? places : PoolPaths.ELSEWHERE);
    Map<String, Integer> outputs = new HashMap<>();
    LocatedRuns packed = pack(description, outputs, local);
    assertEquals(description.runs().keySet(), outputs.keySet());
    for (Map.Entry<String, List<LocatedRun>> output : description.runs().entrySet()) {
      int offset = outputs.get(output.getKey());
      assertEquals(output.getKey(), packed.outputId(offset));
      int[] offsets = packed.runsOf(offset);
      List<LocatedRun> runs = output.getValue();
      assertEquals(runs.size(), offsets.length);
      for (int i = 0; i < offsets.length; i++) {
        check(packed, offsets[i], runs.get(i), description.segments());
        assertEquals(offset, packed.outputOf(offsets[i]));
        assertTrue(packed.name(offsets[i]).startsWith(output.getKey() + " partition "));
      }
      boolean inPlace = runs.stream().allMatch(run -> run.run().ordinal() % 2 == 1);
      assertEquals(inPlace, packed.isLocalOutput(offset));
    }
  }

  private static void check(
      LocatedRuns packed, int offset, LocatedRun expected, Map<Integer, SegmentLocation> segments) {
    assertEquals(expected, packed.located(offset));
    Run run = expected.run();
    assertEquals(run.partition(), packed.partition(offset));
    assertEquals(run.lengthBytes(), packed.lengthBytes(offset));
    assertEquals(run.rawLengthBytes(), packed.rawLengthBytes(offset));
    assertEquals(run.chunkBytes(), packed.chunkBytes(offset));
    assertEquals(run.rawLengthBytes() / Math.max(1, run.records()), packed.meanRecordBytes(offset));
    assertEquals(run.ordinal() % 2 == 1, packed.isLocal(offset));
    Set<Integer> touched = new HashSet<>();
    expected.location().ranges().forEach(range -> touched.add(range.segmentId()));
    Map<Integer, SegmentLocation> described = new HashMap<>(segments);
    described.keySet().retainAll(touched);
    assertEquals(described, packed.segments(expected.location()));
  }

  @Test
  void runsOfAnotherNode() throws IOException {
    for (int i = 0; i < 2_000; i++) {
      check(false);
    }
  }

  @Test
  void runsOfThisNode() throws IOException {
    for (int i = 0; i < 2_000; i++) {
      check(true);
    }
  }

  @Test
  void aRunIsUntouchedWhileNothingOfItIsRead() throws IOException {
    Map<String, Integer> outputs = new HashMap<>();
    LocatedRun located = run(0, 1, 7, List.of(1));
    LocatedRuns packed =
        pack(new OutputLocations(Map.of(), Map.of("output", List.of(located))), outputs, true);
    int run = packed.runsOf(outputs.get("output"))[0];
    assertTrue(new NodeRun(packed, run).isUntouched());
    assertFalse(new NodeRun(packed, run, new byte[1]).isUntouched());
  }
}
