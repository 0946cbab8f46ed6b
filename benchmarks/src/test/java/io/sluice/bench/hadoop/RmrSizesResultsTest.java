package io.sluice.bench.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.ResultPage;
import io.sluice.bench.hadoop.RmrRounds.RmrCosts;
import io.sluice.bench.hadoop.RmrSizesBench.SizedWorkload;
import io.sluice.bench.hadoop.RmrWorkload.RmrVariant;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobCosts.HostUse;
import io.sluice.it.job.JobCosts.ShufflePath;
import io.sluice.it.job.MapPhases;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RmrSizesResultsTest {
  private static JobCosts job(long wallMs, long mapStageMs, long... spillsMs) {
    List<MapPhases> maps =
        LongStream.of(spillsMs).mapToObj(spillMs -> new MapPhases(100, spillMs - 1, 1)).toList();
    ShufflePath path = new ShufflePath("", "", Map.of());
    return new JobCosts(
        List.of(),
        wallMs,
        0,
        mapStageMs,
        maps,
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
        path,
        new TreeMap<>());
  }

  private static Map<RmrVariant, JobCosts> round(JobCosts stock, JobCosts sluice) {
    return new EnumMap<>(Map.of(RmrVariant.STOCK, stock, RmrVariant.SLUICE, sluice));
  }

  @Test
  void stagesAndSpillsAreComparedForEachSize() {
    RmrCosts<SizedWorkload> results = new RmrCosts<>();
    results.add(
        new SizedWorkload(RmrWorkload.SORT, 1_000_000),
        List.of(round(job(20_000, 15_000, 50, 30), job(10_000, 6_000, 20, 10))));
    results.add(
        new SizedWorkload(RmrWorkload.SORT, 2_000_000),
        List.of(round(job(40_000, 30_000, 90, 70, 80), job(20_000, 12_000, 40, 60, 20))));
    ResultPage page = RmrSizesBench.described(results, List.of(RmrWorkload.SORT), 1).page();
    String text = page.toText();
    for (String row :
        List.of(
            "sort of 1 MB: maps 15.0 s 6.0 s 0.400",
            "sort of 1 MB: reduces after them 5.0 s 4.0 s 0.800",
            "sort of 2 MB: the whole job 40.0 s 20.0 s 0.500",
            "sort of 2 MB: shortest 70 ms 20 ms 0.286",
            "sort of 1 MB: mean 40 ms 15 ms 0.375",
            "sort of 2 MB: longest 90 ms 60 ms 0.667")) {
      assertTrue(text.replaceAll(" +", " ").contains(row), row + " in\n" + text);
    }
    assertEquals(Set.of("-stages-sort", "-spill-sort"), page.plots().keySet());
    LinePlot spills = (LinePlot) page.plots().get("-spill-sort");
    assertEquals(
        List.of(
            new LinePlot.Point(1, 20, 0),
            new LinePlot.Point(2, 40, 0),
            new LinePlot.Point(3, 60, 0)),
        spills.series().get("Sluice"));
    LinePlot stages = (LinePlot) page.plots().get("-stages-sort");
    assertEquals(
        List.of(new LinePlot.Point(1, 15, 0), new LinePlot.Point(2, 30, 0)),
        stages.series().get("stock: maps"));
  }
}
