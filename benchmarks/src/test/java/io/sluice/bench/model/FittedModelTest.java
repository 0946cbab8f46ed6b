package io.sluice.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.model.FittedModel.Cell;
import io.sluice.bench.model.FittedModel.Prediction;
import io.sluice.bench.model.Measurements.Storage;
import io.sluice.bench.model.StageFit.StageModel;
import io.sluice.it.spark.jobs.PersistArguments.PersistBenchmark;
import io.sluice.it.spark.jobs.PersistedRun;
import java.util.List;
import org.junit.jupiter.api.Test;

class FittedModelTest {
  private static final double SMALL = 1e-6;

  @Test
  void whatTheEquationsMadeIsFoundAgain() {
    FittedModel model = new FittedModel(MadeUp.measurements());
    StageFit fit =
        model.stages().get(new Cell(PersistBenchmark.WORD_COUNT_GROUP, Storage.POOL)).get(1);
    assertEquals(new StageModel(10, 5, MadeUp.CORES), fit.model());
    assertEquals(20, fit.task().base(), SMALL);
    assertEquals(10, 1e6 * fit.task().slope(), SMALL);
    assertEquals(2, model.expansion(), SMALL);
    assertEquals(1, model.serializedPerText(), SMALL);
    assertEquals(0, model.network().alphaMs(), SMALL);
    // 3 ms for each MB.
    assertEquals(8 / MadeUp.NETWORK_MS_PER_MB, model.network().gbps(), SMALL);
  }

  /** 10 + 2 (20 + 10 * 2 + 3 * 2 * 2) + 5, for the blocks of 2 MB of the second size. */
  @Test
  void sizesThatWereLeftOutAreAsPredicted() {
    List<Prediction> predictions = new FittedModel(MadeUp.measurements()).predictions();
    assertEquals(2 * (4 * 3 + 1), predictions.size());
    predictions.forEach(
        each -> {
          assertEquals(0, each.error(), SMALL, each.toString());
          assertEquals(0, each.errorOfEquation(), SMALL, each.toString());
        });
    Prediction remote =
        predictions.stream().filter(each -> each.benchmark().isRemote()).findFirst().orElseThrow();
    assertEquals(8_000_000, remote.textBytes());
    assertEquals(119, remote.predictedMs(), SMALL);
  }

  /** A size that was left out moves no parameter, however slow it was, and is an error. */
  @Test
  void whatWasLeftOutIsNotFittedTo() {
    Measurements made = MadeUp.measurements();
    List<Measurements.Measured> slow =
        made.measured().stream()
            .map(
                each ->
                    each.run().textBytes() == MadeUp.SIZES.get(1)
                            && !each.run().benchmark().isRemote()
                        ? new Measurements.Measured(each.storage(), slower(each.run()))
                        : each)
            .toList();
    FittedModel model =
        new FittedModel(new Measurements(made.machine(), made.spark(), made.cores(), slow));
    Cell cell = new Cell(PersistBenchmark.LINE_COUNTER, Storage.DISK);
    assertEquals(20, model.stages().get(cell).get(0).task().base(), SMALL);
    Prediction wrong =
        model.predictions().stream()
            .filter(
                each -> each.benchmark() == cell.benchmark() && each.storage() == cell.storage())
            .findFirst()
            .orElseThrow();
    // 95 ms are predicted of what took 10 + 2 (20 + 10 * 5) + 5.
    assertEquals(95.0 / 155 - 1, wrong.error(), SMALL);
    assertEquals(0, wrong.errorOfEquation(), SMALL);
  }

  /** With the stages of the largest size. */
  private static PersistedRun slower(PersistedRun run) {
    PersistedRun largest = MadeUp.run(Storage.DISK, run.benchmark(), MadeUp.SIZES.get(3));
    return new PersistedRun(
        run.benchmark(),
        run.level(),
        run.textBytes(),
        run.blocks(),
        run.keptBlocks(),
        run.memoryBytes(),
        run.diskBytes(),
        run.stores(),
        run.digest(),
        run.load(),
        largest.runs());
  }
}
