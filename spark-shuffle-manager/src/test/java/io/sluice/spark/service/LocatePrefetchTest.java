package io.sluice.spark.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.PartitionRange;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LocatePrefetchTest {
  private final List<List<String>> asked = new ArrayList<>();
  private IOException failure;

  /** A run of one partition of an output. */
  private record LocatedRun(String output, int partition) {}

  /** Every output but "absent" has a run of each partition. */
  private Map<String, List<LocatedRun>> locate(
      PartitionRange partitions, List<String> outputs, boolean isFirst) throws IOException {
    assertEquals(asked.isEmpty(), isFirst, "bytes come along with the first answer alone");
    asked.add(outputs);
    if (failure != null) {
      throw failure;
    }
    Map<String, List<LocatedRun>> located = new LinkedHashMap<>();
    for (String output : outputs) {
      if (!output.equals("absent")) {
        located.put(
            output,
            IntStream.range(partitions.first(), partitions.end())
                .mapToObj(partition -> new LocatedRun(output, partition))
                .toList());
      }
    }
    return located;
  }

  private LocatePrefetch<LocatedRun> ahead(PartitionRange partitions, List<String> outputs) {
    return new LocatePrefetch<>(partitions, outputs, LocatedRun::partition, this::locate);
  }

  private static List<String> names(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "output-" + i).toList();
  }

  @Test
  void allOutputsAreAskedForAtOnce() throws IOException {
    List<String> names = names(0, 1000);
    LocatePrefetch<LocatedRun> ahead = ahead(PartitionRange.one(3), names);
    assertEquals(List.of(), asked, "before anything is wanted");
    for (String name : names) {
      assertEquals(
          Optional.of(List.of(new LocatedRun(name, 3))), ahead.take(name, PartitionRange.one(3)));
    }
    assertEquals(List.of(names), asked);
    assertTrue(ahead.isTaken());
  }

  /** Else a task of many partitions would hold as many runs. */
  @Test
  void noMoreAreLocatedThanHaveABoundedNumberOfRuns() throws IOException {
    int partitions = LocatePrefetch.MOST_AT_A_TIME / 2;
    LocatePrefetch<LocatedRun> ahead = ahead(new PartitionRange(0, partitions), names(0, 5));
    ahead.take("output-3", PartitionRange.one(0));
    ahead.take("output-0", PartitionRange.one(0));
    ahead.take("output-4", PartitionRange.one(0));
    assertEquals(List.of(List.of("output-3", "output-0"), List.of("output-4", "output-1")), asked);
  }

  @Test
  void anOutputOfMorePartitionsIsAskedForAlone() throws IOException {
    PartitionRange many = new PartitionRange(0, 100_000);
    LocatePrefetch<LocatedRun> ahead = ahead(many, names(0, 2));
    assertEquals(100_000, ahead.take("output-0", many).orElseThrow().size());
    assertEquals(List.of(List.of("output-0")), asked);
  }

  /** Two readers of one task may want the same; half of a block is none. */
  @Test
  void whatWasTakenInPartIsNotGivenAsIfItWereAll() throws IOException {
    LocatePrefetch<LocatedRun> ahead = ahead(new PartitionRange(2, 6), names(0, 1));
    assertEquals(
        Optional.of(List.of(new LocatedRun("output-0", 3), new LocatedRun("output-0", 4))),
        ahead.take("output-0", new PartitionRange(3, 5)));
    assertEquals(Optional.empty(), ahead.take("output-0", new PartitionRange(3, 5)));
    assertEquals(Optional.empty(), ahead.take("output-0", new PartitionRange(2, 6)));
    assertEquals(Optional.empty(), ahead.take("output-0", new PartitionRange(4, 6)));
    assertFalse(ahead.isTaken());
    for (int partition : List.of(5, 2)) {
      assertEquals(
          Optional.of(List.of(new LocatedRun("output-0", partition))),
          ahead.take("output-0", PartitionRange.one(partition)));
    }
    assertTrue(ahead.isTaken());
    assertEquals(Optional.empty(), ahead.take("output-0", PartitionRange.one(5)));
  }

  @Test
  void whatIsNotExpectedIsNotAskedFor() throws IOException {
    LocatePrefetch<LocatedRun> ahead = ahead(new PartitionRange(2, 6), names(0, 1));
    assertEquals(Optional.empty(), ahead.take("other", PartitionRange.one(2)));
    assertEquals(Optional.empty(), ahead.take("output-0", PartitionRange.one(1)));
    assertEquals(Optional.empty(), ahead.take("output-0", new PartitionRange(5, 7)));
    assertEquals(List.of(), asked);
  }

  @Test
  void anAbsentOutputIsAskedForOnce() throws IOException {
    LocatePrefetch<LocatedRun> ahead = ahead(PartitionRange.one(0), List.of("absent"));
    assertEquals(Optional.empty(), ahead.take("absent", PartitionRange.one(0)));
    assertEquals(Optional.empty(), ahead.take("absent", PartitionRange.one(0)));
    assertEquals(1, asked.size());
    assertTrue(ahead.isTaken());
  }

  /** One hanging device must not fail blocks that lie elsewhere. */
  @Test
  void whatCannotBeLocatedTogetherIsLeftToBeAskedForAlone() throws IOException {
    LocatePrefetch<LocatedRun> ahead = ahead(PartitionRange.one(0), names(0, 2));
    failure = new IOException("one of them cannot be read");
    assertEquals(Optional.empty(), ahead.take("output-0", PartitionRange.one(0)));
    failure = null;
    assertEquals(Optional.empty(), ahead.take("output-1", PartitionRange.one(0)));
    assertEquals(List.of(names(0, 2)), asked);
    assertTrue(ahead.isTaken());
  }

  @Test
  void aTaskThatIsToEndDoesNotGoOn() {
    LocatePrefetch<LocatedRun> ahead = ahead(PartitionRange.one(0), names(0, 2));
    failure = new InterruptedIOException("killed");
    assertThrows(InterruptedIOException.class, () -> ahead.take("output-0", PartitionRange.one(0)));
  }
}
