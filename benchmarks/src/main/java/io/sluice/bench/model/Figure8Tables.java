package io.sluice.bench.model;

import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.model.Figure8Tables.Figure8.BlockFormat;
import io.sluice.bench.model.FittedModel.NetworkModel;
import io.sluice.bench.model.Measurements.Storage;
import io.sluice.bench.model.StageFit.StageModel;
import io.sluice.it.spark.jobs.PersistArguments.PersistBenchmark;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Figure 8 with LineCounter's times from here and from the paper's data, and where its curves
 * cross. Not thread-safe.
 */
final class Figure8Tables {
  private static final List<Integer> REMOTE_PERCENT = List.of(20, 40, 60, 80, 100);
  private static final List<Integer> BANDWIDTH_PERCENT =
      IntStream.rangeClosed(1, 10).mapToObj(tenth -> 10 * tenth).toList();

  private final Figure8 figure;
  private final BlockFormat nvme;
  private final BlockFormat ram;
  private final Map<String, Pair> pairs = new LinkedHashMap<>();

  /** The two that are compared: serialized blocks on NVMe, and deserialized ones in RAM. */
  private record Pair(BlockFormat nvme, BlockFormat ram) {}

  Figure8Tables(FittedModel model) {
    StageFit nvmeFit = lineCounter(model, Storage.POOL);
    StageFit ramFit = lineCounter(model, Storage.MEMORY);
    double textBytes = Figure8.BLOCK_BYTES / model.serializedPerText();
    this.figure =
        Figure8.of(
            nvmeFit.model().startMs(), nvmeFit.model().cleanupMs(), model.network().alphaMs());
    this.nvme = serialized(nvmeFit.task().at(textBytes));
    this.ram = deserialized(model.expansion(), ramFit.task().at(textBytes));
    pairs.put("tasks from here, expansion %.2f from here".formatted(model.expansion()), pair());
    pairs.put(
        "tasks from here, expansion %.2f from the paper".formatted(Figure8.EXPANSION),
        new Pair(nvme, deserialized(Figure8.EXPANSION, ram.taskMs())));
    pairs.put(
        "the paper's data, its task times, expansion %.2f".formatted(Figure8.EXPANSION),
        new Pair(
            serialized(PublishedTimes.nvmeTaskMs()),
            deserialized(Figure8.EXPANSION, PublishedTimes.ramTaskMs())));
    pairs.put(
        "the paper's data, its stage times, expansion %.2f".formatted(Figure8.EXPANSION),
        new Pair(
            serialized(PublishedTimes.nvmeTaskMsOfStage()),
            deserialized(Figure8.EXPANSION, PublishedTimes.ramTaskMsOfStage())));
  }

  private static StageFit lineCounter(FittedModel model, Storage storage) {
    return model.stages().get(new FittedModel.Cell(PersistBenchmark.LINE_COUNTER, storage)).get(0);
  }

  private static BlockFormat serialized(double taskMs) {
    return new BlockFormat(Figure8.BLOCK_BYTES, taskMs);
  }

  private static BlockFormat deserialized(double expansion, double taskMs) {
    return new BlockFormat(expansion * Figure8.BLOCK_BYTES, taskMs);
  }

  private Pair pair() {
    return new Pair(nvme, ram);
  }

  /** From which bandwidth on RAM is ahead, a row for each origin of the times. */
  TextTable crossings() {
    List<String> header = new ArrayList<>(List.of("times from, and blocks remote"));
    REMOTE_PERCENT.forEach(percent -> header.add(percent + " %"));
    header.add("Time_Task, serialized / deserialized");
    TextTable table = new TextTable(header);
    pairs.forEach(
        (name, pair) -> {
          List<String> row = new ArrayList<>(List.of(name));
          REMOTE_PERCENT.forEach(percent -> row.add(crossing(pair, percent)));
          row.add("%.0f / %.0f ms".formatted(pair.nvme().taskMs(), pair.ram().taskMs()));
          table.add(row);
        });
    return table;
  }

  private String crossing(Pair pair, int remotePercent) {
    OptionalInt gbps = figure.crossingGbps(pair.ram(), pair.nvme(), remotePercent / 100.0);
    return gbps.isPresent()
        ? gbps.getAsInt() + " Gb/s"
        : "not below %d Gb/s".formatted(Figure8.MOST_GBPS);
  }

  /** A claim of the paper's text that its data does not support. */
  static String paper() {
    return ("The paper's text has the curves cross at %d Gb/s. Its own data, which is published, does"
            + " not with these equations: the last two rows.")
        .formatted(Figure8.CROSSING_GBPS);
  }

  /** Figure 8a. */
  LinePlot nvmeTimes() {
    return times("a: serialized blocks on NVMe (times of Sluice's pool)", nvme);
  }

  /** Figure 8b. */
  LinePlot ramTimes() {
    return times("b: deserialized blocks in RAM", ram);
  }

  private LinePlot times(String title, BlockFormat format) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (int remote : REMOTE_PERCENT) {
      series.put(
          remote + " % remote",
          BANDWIDTH_PERCENT.stream()
              .map(
                  percent ->
                      new LinePlot.Point(
                          percent, figure.timeMs(format, remote / 100.0, gbps(percent)) / 1e3, 0))
              .toList());
    }
    return plot("Figure 8" + title, "time of the stage, s", series);
  }

  /** Figure 8c. */
  LinePlot utilization() {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (int remote : REMOTE_PERCENT) {
      series.put("NVMe, %d %% remote".formatted(remote), utilizations(nvme, remote));
      series.put("RAM, %d %% remote".formatted(remote), utilizations(ram, remote));
    }
    return plot("Figure 8c: utilization of the network", "% of the bandwidth", series);
  }

  private List<LinePlot.Point> utilizations(BlockFormat format, int remote) {
    return BANDWIDTH_PERCENT.stream()
        .map(
            percent ->
                new LinePlot.Point(
                    percent, 100 * figure.utilization(format, remote / 100.0, gbps(percent)), 0))
        .toList();
  }

  private static double gbps(int percent) {
    return Figure8.MOST_GBPS * percent / 100.0;
  }

  private static LinePlot plot(
      String title, String unit, Map<String, List<LinePlot.Point>> series) {
    return new LinePlot(
        title, "bandwidth, %% of %d Gb/s".formatted(Figure8.MOST_GBPS), unit, series);
  }

  /**
   * The measurements of LineCounter that Chen and Rodero have published: {@code
   * figures/linecounter_Spark_RDD_Persistence_*.txt} of github.com/HelloHorizon/SBAC-PAD-18, which
   * are decimal logarithms. That tasks are in ms and stages in s follows from section IV.A: some 20
   * ms for a task over deserialized blocks.
   */
  static final class PublishedTimes {
    /** Deserialized objects in memory, 100 GB: the most that had room. */
    private static final double RAM_TASK_LOG_MS = 1.22;

    private static final double RAM_STAGE_LOG_S = 0.75;
    private static final double RAM_DATA_BYTES = 100e9;

    /** Serialized blocks on NVMe, 200 GB. */
    private static final double NVME_TASK_LOG_MS = 2.91;

    private static final double NVME_STAGE_LOG_S = 1.57;

    private PublishedTimes() {}

    /** Time_Task as it was measured. */
    static double ramTaskMs() {
      return Math.pow(10, RAM_TASK_LOG_MS);
    }

    /** Time_Task as it was measured. */
    static double nvmeTaskMs() {
      return Math.pow(10, NVME_TASK_LOG_MS);
    }

    /** Time_Task that makes the stage as long as it was, if the cores always have one. */
    static double ramTaskMsOfStage() {
      return taskMs(RAM_STAGE_LOG_S, RAM_DATA_BYTES);
    }

    /** Time_Task that makes the stage as long as it was, if the cores always have one. */
    static double nvmeTaskMsOfStage() {
      return taskMs(NVME_STAGE_LOG_S, Figure8.DATA_BYTES);
    }

    private static double taskMs(double stageLogS, double dataBytes) {
      double stageMs = 1e3 * Math.pow(10, stageLogS);
      return stageMs * Figure8.CORES / (dataBytes / Figure8.BLOCK_BYTES);
    }
  }

  /**
   * Figure 8 of Chen and Rodero: the time of a stage over blocks of which a share is on remote
   * resources, by the bandwidth that there is, and how much of the bandwidth it uses.
   *
   * <p>A task over a remote block takes its own time and then that of the network, as the paper's
   * equations have it: they do not overlap. All P tasks that run at a time share the bandwidth.
   *
   * <p>Thread contract: immutable.
   *
   * @param stage with the cores of the cluster
   * @param tasks one for each block
   * @param alphaMs the latency of a message
   */
  record Figure8(StageModel stage, int tasks, double alphaMs) {
    /** The paper's: 24 executors with 4 cores each (section III.A). */
    static final int CORES = 24 * 4;

    /** The paper's: serialized (section V). */
    static final double DATA_BYTES = 200e9;

    /** The paper's: of the whole bandwidth (section V). */
    static final int MOST_GBPS = 400;

    /** The block size of HDFS; the paper does not say another. */
    static final double BLOCK_BYTES = 128 << 20;

    /** The paper's: bytes of Java objects for each byte of them serialized, of LineCounter. */
    static final double EXPANSION = 2.09;

    /** From which bandwidth on the paper has deserialized blocks ahead, in Gb/s (section V). */
    static final int CROSSING_GBPS = 280;

    /** A figure with as many blocks as the paper's data has. */
    static Figure8 of(double startMs, double cleanupMs, double alphaMs) {
      return new Figure8(
          new StageModel(startMs, cleanupMs, CORES),
          (int) Math.ceil(DATA_BYTES / BLOCK_BYTES),
          alphaMs);
    }

    /** How long the stage takes; remote blocks lie evenly among the others. */
    double timeMs(BlockFormat format, double remoteShare, double gbps) {
      double networkMs =
          NetworkModel.ofGbps(alphaMs, gbps).timeMs(format.blockBytes(), stage.cores());
      List<Double> tasksMs = new ArrayList<>(tasks);
      for (int task = 0; task < tasks; task++) {
        tasksMs.add(format.taskMs() + (isRemote(task, remoteShare) ? networkMs : 0));
      }
      return stage.timeMs(tasksMs);
    }

    private static boolean isRemote(int task, double remoteShare) {
      return Math.floor((task + 1) * remoteShare) > Math.floor(task * remoteShare);
    }

    /** The share of the bandwidth that is used, on average over the stage. */
    double utilization(BlockFormat format, double remoteShare, double gbps) {
      long remote = 0;
      for (int task = 0; task < tasks; task++) {
        remote += isRemote(task, remoteShare) ? 1 : 0;
      }
      double couldMoveBytes =
          NetworkModel.ofGbps(alphaMs, gbps).bytesPerMs() * timeMs(format, remoteShare, gbps);
      return remote * format.blockBytes() / couldMoveBytes;
    }

    /** The least bandwidth, in whole Gb/s, with which the one is not slower than the other. */
    OptionalInt crossingGbps(BlockFormat ram, BlockFormat nvme, double remoteShare) {
      for (int gbps = 1; gbps <= MOST_GBPS; gbps++) {
        if (timeMs(ram, remoteShare, gbps) <= timeMs(nvme, remoteShare, gbps)) {
          return OptionalInt.of(gbps);
        }
      }
      return OptionalInt.empty();
    }

    /**
     * How blocks are kept on remote resources.
     *
     * @param blockBytes that travel for each task
     * @param taskMs what a task takes beside that
     */
    record BlockFormat(double blockBytes, double taskMs) {}
  }
}
