package io.sluice.bench.model;

import io.sluice.bench.Figure.Spread;
import io.sluice.bench.model.Measurements.Storage;
import io.sluice.bench.model.StageFit.LineFit;
import io.sluice.it.spark.jobs.PersistArguments.PersistBenchmark;
import io.sluice.it.spark.jobs.PersistedRun;
import io.sluice.it.spark.jobs.PersistedRun.RanTask;
import io.sluice.it.spark.jobs.PersistedRun.StageRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Both equations with parameters fitted to the measurements of every other size, and what they say
 * of the other half.
 *
 * <p>The network's parameters come from {@link PersistBenchmark#LINE_COUNTER_REMOTE}: what its
 * tasks take longer than those of {@link PersistBenchmark#LINE_COUNTER} over the same blocks.
 *
 * <p>Thread contract: immutable. Failure: {@link IllegalArgumentException} if there are too few
 * sizes of something.
 */
final class FittedModel {
  private final Measurements measurements;
  private final Map<Cell, List<StageFit>> stages = new LinkedHashMap<>();
  private final double serializedPerText;
  private final double expansion;
  private final NetworkModel network;

  /** A benchmark over blocks that are kept in one way. */
  record Cell(PersistBenchmark benchmark, Storage storage) {}

  FittedModel(Measurements measurements) {
    this.measurements = measurements;
    for (PersistBenchmark benchmark : PersistBenchmark.values()) {
      for (Storage storage : Storage.values()) {
        List<PersistedRun> sizes = measurements.of(benchmark, storage);
        if (!sizes.isEmpty() && !benchmark.isRemote()) {
          stages.put(new Cell(benchmark, storage), fit(HeldOut.of(sizes).fitted()));
        }
      }
    }
    double textBytes = bytes(Storage.SERIALIZED, PersistedRun::textBytes);
    double serializedBytes = bytes(Storage.SERIALIZED, PersistedRun::memoryBytes);
    this.serializedPerText = serializedBytes / textBytes;
    this.expansion = bytes(Storage.MEMORY, PersistedRun::memoryBytes) / serializedBytes;
    this.network = NetworkModel.fit(networkPoints());
  }

  private List<StageFit> fit(List<PersistedRun> sizes) {
    int count = sizes.get(0).runs().get(0).size();
    return IntStream.range(0, count)
        .mapToObj(stage -> StageFit.of(sizes, stage, measurements.cores()))
        .toList();
  }

  private double bytes(Storage storage, ToLongFunction<PersistedRun> of) {
    return HeldOut.of(measurements.of(PersistBenchmark.LINE_COUNTER, storage)).fitted().stream()
        .mapToLong(of)
        .sum();
  }

  private List<LineFit.Point> networkPoints() {
    List<PersistedRun> local =
        HeldOut.of(measurements.of(PersistBenchmark.LINE_COUNTER, Storage.SERIALIZED)).fitted();
    List<PersistedRun> remote =
        HeldOut.of(measurements.of(PersistBenchmark.LINE_COUNTER_REMOTE, Storage.SERIALIZED))
            .fitted();
    List<LineFit.Point> points = new ArrayList<>();
    for (PersistedRun far : remote) {
      PersistedRun near =
          local.stream()
              .filter(each -> each.textBytes() == far.textBytes())
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "%s has no counterpart of %,d bytes"
                              .formatted(far.benchmark().title(), far.textBytes())));
      points.add(
          new LineFit.Point(
              serializedBlockBytes(far) * measurements.cores(), taskMs(far) - taskMs(near)));
    }
    return points;
  }

  /** The median of all tasks of a benchmark with one stage. */
  private static double taskMs(PersistedRun size) {
    return Spread.of(
            size.runs().stream()
                .flatMap(stages -> stages.get(0).tasks().stream())
                .map(RanTask::timeMs)
                .map(Long::doubleValue)
                .toList())
        .median();
  }

  private double serializedBlockBytes(PersistedRun size) {
    return StageFit.blockBytes(size) * serializedPerText;
  }

  /** A fit for each stage, by benchmark and storage. */
  Map<Cell, List<StageFit>> stages() {
    return stages;
  }

  /** The network between the executors. */
  NetworkModel network() {
    return network;
  }

  /** Bytes of blocks as Java objects for each byte of them serialized. */
  double expansion() {
    return expansion;
  }

  /** Serialized bytes of a block for each byte of text. */
  double serializedPerText() {
    return serializedPerText;
  }

  /** A prediction for each size that nothing was fitted to. */
  List<Prediction> predictions() {
    List<Prediction> predictions = new ArrayList<>();
    for (PersistBenchmark benchmark : PersistBenchmark.values()) {
      for (Storage storage : Storage.values()) {
        List<PersistedRun> sizes = measurements.of(benchmark, storage);
        if (!sizes.isEmpty()) {
          HeldOut.of(sizes).checked().forEach(size -> predictions.add(predict(storage, size)));
        }
      }
    }
    return predictions;
  }

  private Prediction predict(Storage storage, PersistedRun size) {
    boolean remote = size.benchmark().isRemote();
    PersistBenchmark base = remote ? PersistBenchmark.LINE_COUNTER : size.benchmark();
    List<StageFit> fits = stages.get(new Cell(base, storage));
    double networkMs =
        remote ? network.timeMs(serializedBlockBytes(size), measurements.cores()) : 0;
    return new Prediction(
        size.benchmark(),
        storage,
        size.textBytes(),
        fits.stream().mapToDouble(fit -> fit.predictMs(size, networkMs)).sum(),
        Spread.of(size.runs().stream().map(stages -> fromOwnTasksMs(fits, stages)).toList())
            .median(),
        Spread.of(size.runs().stream().map(FittedModel::wallMs).toList()));
  }

  private static double fromOwnTasksMs(List<StageFit> fits, List<StageRun> stages) {
    return IntStream.range(0, stages.size())
        .mapToDouble(stage -> fits.get(stage).fromOwnTasksMs(stages.get(stage)))
        .sum();
  }

  private static double wallMs(List<StageRun> stages) {
    return stages.stream().mapToDouble(StageRun::wallMs).sum();
  }

  /**
   * The model's prediction for a size that it was not fitted to, beside the measurement.
   *
   * @param benchmark which
   * @param storage how its blocks are kept
   * @param textBytes the size
   * @param predictedMs all stages, by both equations with what was fitted
   * @param fromOwnTasksMs all stages, by the first equation with the times that the tasks had
   * @param measuredMs all stages
   */
  record Prediction(
      PersistBenchmark benchmark,
      Storage storage,
      long textBytes,
      double predictedMs,
      double fromOwnTasksMs,
      Spread measuredMs) {

    /** Share of what was measured; negative if the model says less. */
    double error() {
      return predictedMs / measuredMs.median() - 1;
    }

    /** The error of the first equation alone. */
    double errorOfEquation() {
      return fromOwnTasksMs / measuredMs.median() - 1;
    }
  }

  /**
   * The second equation of Chen and Rodero (section V): {@code Time_network = alpha + S_block *
   * N_tasks / B}. All tasks that run at a time share the bandwidth.
   *
   * <p>Thread contract: immutable.
   *
   * @param alphaMs the latency of a message
   * @param bytesPerMs B; infinite if the fit sees no cost of bytes
   */
  record NetworkModel(double alphaMs, double bytesPerMs) {
    private static final double BITS = 8;
    private static final double MS_PER_S = 1e3;
    private static final double GIGA = 1e9;

    static NetworkModel ofGbps(double alphaMs, double gbps) {
      return new NetworkModel(alphaMs, gbps * GIGA / BITS / MS_PER_S);
    }

    /** Fits points whose size is S_block * N_tasks, in bytes, and whose cost is in ms. */
    static NetworkModel fit(List<LineFit.Point> points) {
      LineFit line = LineFit.of(points);
      return new NetworkModel(line.base(), 1 / line.slope());
    }

    /** How long a task waits for its block while so many run. */
    double timeMs(double blockBytes, int tasks) {
      return alphaMs + blockBytes * tasks / bytesPerMs;
    }

    double gbps() {
      return bytesPerMs * BITS * MS_PER_S / GIGA;
    }
  }

  /**
   * Runs by their sizes: every other size, from the first on, is fitted to; the rest is what the
   * model is checked by. With an even number of sizes the largest is beyond all that were fitted
   * to.
   *
   * @param fitted the first, third, fifth ...
   * @param checked the second, fourth ...
   */
  record HeldOut<T>(List<T> fitted, List<T> checked) {
    /** Two for a line, one to check it. */
    static final int LEAST_SIZES = 3;

    /**
     * Divides runs by their sizes.
     *
     * @throws IllegalArgumentException if there are too few
     */
    static <T> HeldOut<T> of(List<T> bySize) {
      if (bySize.size() < LEAST_SIZES) {
        throw new IllegalArgumentException(
            "the model needs %d sizes, two to fit a line and one to check it; got %d"
                .formatted(LEAST_SIZES, bySize.size()));
      }
      List<T> fitted = new ArrayList<>();
      List<T> checked = new ArrayList<>();
      for (int i = 0; i < bySize.size(); i++) {
        (i % 2 == 0 ? fitted : checked).add(bySize.get(i));
      }
      return new HeldOut<>(fitted, checked);
    }
  }
}
