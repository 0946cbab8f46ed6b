package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.EvictionOrder.OutputsInMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which outputs lie in a segment, and which leaves memory next, without a look at all of them. */
class OutputDirectoryTest {
  private static final String APP = "application_1_0001";
  private static final int BLOCK_BYTES = 16 << 10;
  private static final int SEGMENT_BYTES = 1 << 30;
  private static final UUID POOL = new UUID(1, 2);

  private final ReentrantLock lock = new ReentrantLock();
  private final OutputDirectory outputs = new OutputDirectory(new HeapShares(1L << 40, false));
  private int places;

  private static OutputId id(int number) {
    return new OutputId(APP, "output_" + number);
  }

  /** So many blocks in a segment of memory, and one on disk. */
  private CommittedOutput output(int number, int segmentId, int blocks) {
    List<Extent> extents = new ArrayList<>();
    if (blocks > 0) {
      SegmentInfo memory =
          new SegmentInfo(segmentId, Tier.MEMORY, Path.of("pool", "" + segmentId), SEGMENT_BYTES);
      extents.add(new Extent(memory, 0, (long) blocks * BLOCK_BYTES));
    }
    int fileId = SegmentInfo.DISK_ID_BASE + places++;
    SegmentInfo disk =
        new SegmentInfo(fileId, Tier.DISK, Path.of("disk", "" + fileId), BLOCK_BYTES);
    extents.add(new Extent(disk, 0, BLOCK_BYTES));
    List<SegmentHandle> segments =
        extents.stream()
            .map(Extent::segment)
            .<SegmentHandle>map(
                info ->
                    new MemorySegment(info, new Owner(1001), true, null, null, new PlainMedium()))
            .toList();
    return CommittedOutput.checked(
        new OutputIdentity(id(number), 1, 1, 1, 1, 8, 8, 0),
        new OutputLocation(POOL, places, 1, new ExtentTable(extents), segments));
  }

  private List<OutputId> inOrder() {
    List<OutputId> ids = new ArrayList<>();
    new OutputsInMemory(lock, outputs, APP).forEachRemaining(output -> ids.add(output.id()));
    assertFalse(lock.isLocked());
    return ids;
  }

  @Test
  void theNextOneIsFoundWithoutALookAtTheOthers() {
    int count = 10_000;
    for (int i = 0; i < count; i++) {
      outputs.add(output(i, i % 100, 1 + i));
    }
    EvictionOrder order = outputs.moveOrder(APP).orElseThrow();
    OutputsInMemory next = new OutputsInMemory(lock, outputs, APP);
    assertEquals(id(count - 1), next.next().id());
    assertEquals(id(count - 2), next.next().id());
    assertEquals(2, order.looks());
    for (int i = count - 10; i < count; i++) {
      outputs.find(id(i)).location().tell();
    }
    assertEquals(id(count - 11), next.next().id());
    assertEquals(2 + 8 + 1, order.looks(), "those behind that were told of, and the next");
  }

  @Test
  void oneThatReadersAreToldOfComesLaterAndOneWithACopyFirst() {
    for (int i = 0; i < 5; i++) {
      outputs.add(output(i, 0, 5 - i));
    }
    outputs.find(id(0)).location().tell();
    outputs.setCopied(id(3), true);
    assertEquals(List.of(id(3), id(1), id(2), id(4), id(0)), inOrder());
    outputs.setCopied(id(3), false);
    assertEquals(List.of(id(1), id(2), id(3), id(4), id(0)), inOrder());
    outputs.setCopied(id(0), true);
    outputs.setCopied(id(4), true);
    assertEquals(List.of(id(4), id(0), id(1), id(2), id(3)), inOrder());
  }

  @Test
  void itIsTheSameAsBySortingAll() {
    Random random = TestSeed.random();
    Set<OutputId> copied = new HashSet<>();
    for (int step = 0; step < 3_000; step++) {
      int number = random.nextInt(40);
      CommittedOutput there = outputs.find(id(number));
      int way = random.nextInt(5);
      if (there == null || way == 0) {
        outputs.add(output(number, random.nextInt(3), random.nextInt(5)));
        copied.remove(id(number)); // as the store takes it away first
      } else if (way == 1) {
        outputs.remove(there);
        copied.remove(id(number));
      } else if (way == 2) {
        there.location().tell();
      } else {
        outputs.setCopied(id(number), way == 3);
        copied.remove(id(number));
        copied.addAll(way == 3 ? Set.of(id(number)) : Set.of());
      }
      assertSame(copied);
    }
  }

  private void assertSame(Set<OutputId> copied) {
    List<CommittedOutput> all = outputs.of(APP);
    Comparator<CommittedOutput> order =
        Comparator.comparing((CommittedOutput output) -> !copied.contains(output.id()))
            .thenComparing(output -> output.location().wasTold())
            .thenComparing(output -> -output.location().bytesOf(Tier.MEMORY))
            .thenComparing(output -> output.location().generation());
    assertEquals(
        all.stream()
            .filter(output -> output.location().bytesOf(Tier.MEMORY) > 0)
            .sorted(order)
            .map(CommittedOutput::id)
            .toList(),
        inOrder());
    IntStream.range(0, 3)
        .forEach(
            segment ->
                assertEquals(
                    all.stream()
                        .filter(output -> output.location().liesIn(segment))
                        .collect(Collectors.toSet()),
                    Set.copyOf(outputs.in(segment))));
  }

  @Test
  void ofAnApplicationThatIsGoneNoneIsFound() {
    OutputsInMemory next = new OutputsInMemory(lock, outputs, APP);
    assertFalse(next.hasNext());
    CommittedOutput only = output(0, 0, 1);
    outputs.add(only);
    outputs.remove(only);
    assertFalse(next.hasNext());
    assertEquals(Optional.empty(), outputs.moveOrder(APP));
    assertEquals(List.of(), outputs.in(0));
  }
}
