package io.sluice.bench.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.memory.BoundedNode.MemoryCell;
import io.sluice.bench.memory.MemoryRounds.MemoryVariant;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobCosts.HostUse;
import io.sluice.it.job.JobCosts.ShufflePath;
import io.sluice.it.limit.DeviceUse;
import io.sluice.it.limit.ResourceGroup.GroupMemory;
import io.sluice.it.limit.ResourceGroup.GroupUse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MemoryTargetsTest {
  private final List<MemoryRounds> all = new ArrayList<>();
  private final Map<MemoryVariant, List<SecondJob.Costs>> secondJobs =
      new EnumMap<>(MemoryVariant.class);

  private static MemoryCell cell(double wallS, long deviceBytes, long killed) {
    JobCosts costs =
        new JobCosts(
            List.of("job_1"),
            (long) (1000 * wallS),
            0,
            0,
            List.of(),
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            HostUse.NONE,
            new ShufflePath("", "", Map.of()),
            new TreeMap<>());
    DeviceUse none = new DeviceUse(0, 0, 0, 0, 0, 0);
    return new MemoryCell(
        Map.of(),
        0,
        costs,
        new GroupUse(1_500_000, 0, 0, 0, 0, killed),
        none,
        new DeviceUse(0, 0, 0, deviceBytes, 0, 0),
        none,
        List.of(new GroupMemory(0, 0, 0, 0, 0)));
  }

  private MemoryRounds rounds(MemoryWorkload workload, double fraction) {
    MemoryRounds rounds = new MemoryRounds(workload, fraction);
    all.add(rounds);
    return rounds;
  }

  private static Map<MemoryVariant, MemoryCell> round(MemoryCell stock, MemoryCell sluice) {
    return new EnumMap<>(Map.of(MemoryVariant.STOCK, stock, MemoryVariant.SLUICE, sluice));
  }

  private MemoryTargets.Row row(String part) {
    List<MemoryTargets.Row> found =
        new MemoryTargets(all, secondJobs)
            .rows().stream().filter(row -> row.what().contains(part)).toList();
    assertEquals(1, found.size(), part + " in " + new MemoryTargets(all, secondJobs).rows());
    return found.get(0);
  }

  @Test
  void ratiosAreTakenInsideARoundAndTheirMedianCounts() {
    MemoryRounds ample = rounds(MemoryWorkload.SORT, 1.0);
    ample.add(round(cell(30, 0, 0), cell(10, 0, 0))); // 3
    ample.add(round(cell(100, 0, 0), cell(50, 0, 0))); // 2
    ample.add(round(cell(50, 0, 0), cell(20, 0, 0))); // 2.5
    rounds(MemoryWorkload.SORT, 0.5).add(round(cell(40, 0, 0), cell(10, 0, 0)));
    MemoryTargets.Row row = row("Sluice, Sort");
    assertEquals(OptionalDouble.of(2.5), row.value());
    assertTrue(row.reached());
    assertEquals("4.00 at 0.5", row.beside());
  }

  @Test
  void theWorseOfTwoWorkloadsCountsAndOneAloneDoesNot() {
    rounds(MemoryWorkload.SORT, 0.25).add(round(cell(2, 100, 0), cell(1, 30, 0)));
    assertEquals(OptionalDouble.empty(), row("bytes of the").value());
    rounds(MemoryWorkload.PLAIN_WORD_COUNT, 0.25).add(round(cell(2, 100, 0), cell(1, 50, 0)));
    MemoryTargets.Row row = row("bytes of the");
    assertEquals(OptionalDouble.of(0.5), row.value());
    assertEquals(false, row.reached());
  }

  @Test
  void aHalfIsComparedWithAmpleOfTheSameVariant() {
    for (MemoryWorkload workload : List.of(MemoryWorkload.SORT, MemoryWorkload.PLAIN_WORD_COUNT)) {
      rounds(workload, 1.0).add(round(cell(20, 0, 0), cell(10, 0, 0)));
      rounds(workload, 0.5).add(round(cell(40, 0, 0), cell(11, 0, 0)));
    }
    MemoryTargets.Row row = row("half against ample");
    assertEquals(1.1, row.value().orElseThrow(), 1e-9);
    assertTrue(row.reached());
    assertTrue(row.beside().endsWith("stock's is 2.00"), row.beside());
  }

  @Test
  void aRoundInWhichTheKernelKilledHasNoFigure() {
    MemoryRounds ample = rounds(MemoryWorkload.SORT, 1.0);
    ample.add(round(cell(90, 0, 1), cell(10, 0, 0)));
    ample.add(round(cell(20, 0, 0), cell(10, 0, 0)));
    assertEquals(1, ample.count(MemoryVariant.STOCK));
    assertEquals(2, ample.count(MemoryVariant.SLUICE));
    assertEquals(OptionalDouble.of(2), row("Sluice, Sort").value());
  }

  @Test
  void aSmallJobBesideALargeOneIsComparedWithItselfAlone() {
    secondJobs.put(MemoryVariant.STOCK, List.of(beside(10, 15), beside(10, 30)));
    assertEquals(OptionalDouble.empty(), row("small job").value());
    assertEquals("stock's is 2.25 (1.50–3.00)", row("small job").beside());
    secondJobs.put(MemoryVariant.SLUICE, List.of(beside(10, 11)));
    assertEquals(1.1, row("small job").value().orElseThrow(), 1e-9);
    assertTrue(row("small job").reached());
    assertEquals("stock's is 2.25 (1.50–3.00); cores busy: 1.5", row("small job").beside());
  }

  private static SecondJob.Costs beside(double aloneS, double besideS) {
    return new SecondJob.Costs(cell(aloneS, 0, 0), cell(besideS, 0, 0));
  }

  @Test
  void whatWasNotMeasuredIsSaid() {
    String table = new MemoryTargets(List.of(), Map.of()).table().toText();
    assertEquals(6, table.lines().filter(line -> line.contains("not measured")).count(), table);
    assertEquals(
        List.of(2.5, 2.5, 2.0, 0.4, 1.2, 1.15),
        new MemoryTargets(List.of(), Map.of())
            .rows().stream().map(MemoryTargets.Row::target).collect(Collectors.toList()));
  }
}
