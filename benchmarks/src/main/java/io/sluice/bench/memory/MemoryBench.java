package io.sluice.bench.memory;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.bench.hadoop.OutputDigest;
import io.sluice.bench.hadoop.Size;
import io.sluice.bench.memory.BoundedNode.MemoryCell;
import io.sluice.bench.memory.MemoryRounds.MemoryVariant;
import io.sluice.bench.memory.MemoryWorkload.ManyWords;
import io.sluice.bench.memory.NodeMemory.Intermediate;
import io.sluice.bench.memory.NodeMemory.SluiceTuning;
import io.sluice.bench.memory.NodeMemory.StockTuning;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobCounters;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobSpec;
import io.sluice.it.limit.ResourceGroup.GroupMemory;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The workloads of the paper in shares of the memory that their intermediate data needs, on stock
 * and on Sluice in turn: figures, never assertions but for equal outputs. Each run has a cluster of
 * its own, because memory and pools differ; all have the same input.
 *
 * <p>Not thread-safe. A result that differs from that of stock in ample memory is a {@link
 * ClusterException}; a job that fails is noted, and its round has no figure of it.
 */
public final class MemoryBench {
  private static final double BASE_FRACTION = 0.25; // its buffers and pools are taken off again

  /** More than any job needs, and little enough that a JVM does not begin with all its heap. */
  private static final long BASE_LIMIT_BYTES = 3L << 30;

  private static final double BASE_ROOM = 1.1; // heaps differ by 50 MB from run to run
  private static final long LARGEST_SMALL_INPUT_BYTES = 64_000_000;
  private static final int SMALL_SHARE = 16;
  private static final int SMALL_MAPS = 2;
  private static final double SECOND_JOB_FRACTION = 0.25;
  private static final long LEAST_BYTES_PER_S = 100_000_000;
  private static final String SMALL_INPUT = "/bench/small/input";
  private static final String SMALL_OUTPUT = "/bench/small/output";
  private static final long VOLUME_ROOM_BYTES = 2L << 30;

  /** A job of the bench succeeded with another output than it must have. */
  public static final class WrongOutputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private WrongOutputException(String message) {
      super(message);
    }
  }

  private record Try(MemoryWorkload workload, StockTuning.Mix mix) {}

  /**
   * How a variant runs in some memory.
   *
   * @param service Sluice's, for the node; empty for stock
   */
  private record Way(
      MemoryVariant variant,
      Optional<SluiceFragments> service,
      Map<String, String> nodeSettings,
      Map<String, String> settings) {}

  private final Workspace workspace;
  private final Console console;
  private final HadoopDistribution hadoop;
  private final SluiceFragments sluice;
  private final MemoryPlan plan;
  private final MemoryResults results;
  private final Map<MemoryWorkload, Intermediate> data = new EnumMap<>(MemoryWorkload.class);
  private final Map<MemoryWorkload, List<String>> outputs = new EnumMap<>(MemoryWorkload.class);
  private final Map<Try, Long> failedAtBytes = new HashMap<>();
  private List<String> smallOutput;

  public MemoryBench(
      Workspace workspace,
      Console console,
      HadoopDistribution hadoop,
      SluiceFragments sluice,
      MemoryPlan plan) {
    this.workspace = workspace;
    this.console = console;
    this.hadoop = hadoop;
    this.sluice = sluice;
    this.plan = plan;
    this.results = new MemoryResults(hadoop, plan);
  }

  /** Runs all rounds and writes the results. */
  public void run(ResultFiles files) {
    try (BoundedNode node =
        new BoundedNode(
            workspace,
            hadoop,
            plan.shuffleRate(),
            plan.filesRate(),
            volumeBytes(),
            2 * volumeBytes())) {
      results.unbounded(requireFast(node));
      prepare(node);
      for (MemoryWorkload workload : plan.workloads()) {
        long baseBytes = base(node, workload);
        for (double fraction : plan.fractions()) {
          NodeMemory memory = NodeMemory.of(baseBytes, data.get(workload), fraction);
          Optional<StockTuning> stock = cell(node, workload, fraction, memory);
          results.bench().save(files);
          if (hasSecondJob(workload, fraction)) {
            secondJobs(node, memory, stock);
            results.bench().save(files);
          }
        }
      }
    }
    results.bench().show(console, files);
  }

  private long volumeBytes() {
    return 4 * plan.sizeBytes() + VOLUME_ROOM_BYTES;
  }

  private long requireFast(BoundedNode node) {
    long bytesPerS = node.unboundedBytesPerS();
    console.say("the disk gives a volume %.0f MB/s".formatted(bytesPerS / 1e6));
    if (plan.shuffleRate().isPresent() && bytesPerS < LEAST_BYTES_PER_S) {
      throw new ClusterException(
          "the disk gives %.0f MB/s, and a bound means something from %.0f on: too slow, or others use it"
              .formatted(bytesPerS / 1e6, LEAST_BYTES_PER_S / 1e6));
    }
    return bytesPerS;
  }

  /** Makes the inputs, and measures in ample memory what is shuffled. */
  private void prepare(BoundedNode node) {
    node.with(
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        session -> {
          for (MemoryWorkload workload : plan.workloads()) {
            prepare(node, session, workload);
            results.intermediate(workload, data.get(workload));
          }
          if (plan.workloads().stream().anyMatch(this::hasSecondJobEver)) {
            prepareSecondJob(session);
          }
          return data.size();
        });
  }

  private boolean hasSecondJobEver(MemoryWorkload workload) {
    return plan.fractions().stream().anyMatch(fraction -> hasSecondJob(workload, fraction));
  }

  private static boolean hasSecondJob(MemoryWorkload workload, double fraction) {
    return workload == MemoryWorkload.SORT && fraction == SECOND_JOB_FRACTION;
  }

  private void prepareSecondJob(BoundedNode.Session session) {
    generate(
        session,
        MemoryWorkload.PLAIN_WORD_COUNT,
        Math.min(LARGEST_SMALL_INPUT_BYTES, plan.sizeBytes() / SMALL_SHARE),
        SMALL_MAPS,
        SMALL_INPUT,
        "Input of a small job");
    JobSpec small = job(MemoryWorkload.PLAIN_WORD_COUNT, SMALL_INPUT, SMALL_OUTPUT);
    console.job(
        "A small job, ample memory",
        progress -> session.run(small.with(HadoopVariant.STOCK.settings()), progress));
    smallOutput =
        OutputDigest.of(
            session.cluster().fileSystem(), SMALL_OUTPUT, MemoryWorkload.PLAIN_WORD_COUNT.isText());
    session.cluster().fileSystem().delete(SMALL_OUTPUT);
  }

  private void prepare(BoundedNode node, BoundedNode.Session session, MemoryWorkload workload) {
    long inputBytes = workload.inputBytes(plan.sizeBytes());
    String name = workload.title() + ", " + Size.show(inputBytes);
    String inputStep = "Input of " + name;
    if (workload.isGenerated()) {
      generate(session, workload, inputBytes, MemoryWorkload.MAPS, input(workload), inputStep);
    } else {
      console.step(inputStep, () -> upload(node, session, inputBytes, input(workload)));
    }
    MemoryCell ample =
        console.job(
            name + ", ample memory",
            progress ->
                session.measure(
                    job(workload, input(workload), output(workload)),
                    HadoopVariant.STOCK.settings(),
                    progress));
    JobCounters counters = JobHistory.of(session.cluster()).counters(ample.costs().jobIds().get(0));
    data.put(
        workload,
        new Intermediate(
            counters.task("MAP_OUTPUT_MATERIALIZED_BYTES"),
            counters.task("MAP_OUTPUT_BYTES"),
            counters.task("MAP_OUTPUT_RECORDS"),
            (int) counters.value("org.apache.hadoop.mapreduce.JobCounter", "TOTAL_LAUNCHED_MAPS")));
    outputs.put(
        workload,
        OutputDigest.of(session.cluster().fileSystem(), output(workload), workload.isText()));
    session.cluster().fileSystem().delete(output(workload));
    console.say("%s: %s".formatted(workload.title(), data.get(workload)));
  }

  /**
   * The memory of daemons and tasks besides buffers, pools and page cache. In a cluster of its own,
   * as every measured job has: heaps of daemons grow with what they do.
   */
  private long base(BoundedNode node, MemoryWorkload workload) {
    Intermediate of = data.get(workload);
    SluiceTuning tuning = SluiceTuning.of(NodeMemory.of(0, of, BASE_FRACTION), of);
    return node.with(
        Optional.of(sluice),
        tuning.nodeSettings(),
        Optional.of(BASE_LIMIT_BYTES),
        session -> {
          MemoryCell cell =
              measure(session, workload, tuning.settings(), workload.title() + ", what it needs");
          long peakBytes =
              cell.samples().stream()
                  .mapToLong(GroupMemory::unreclaimableBytes)
                  .max()
                  .orElseThrow();
          long baseBytes = (long) (BASE_ROOM * (peakBytes - tuning.bytes()));
          console.say("%s needs %.0f MB besides".formatted(workload.title(), baseBytes / 1e6));
          results.base(session.limits(), workload, baseBytes);
          return baseBytes;
        });
  }

  private void generate(
      BoundedNode.Session session,
      MemoryWorkload workload,
      long inputBytes,
      int maps,
      String input,
      String step) {
    JobSpec spec =
        workload.generator(hadoop, inputBytes, maps, input).with(HadoopVariant.STOCK.settings());
    console.job(step, progress -> session.run(spec, progress));
  }

  private static String upload(
      BoundedNode node, BoundedNode.Session session, long inputBytes, String input) {
    Path text = node.scratch().resolve("text");
    try {
      ManyWords.write(text, inputBytes);
      session
          .cluster()
          .fileSystem()
          .upload(
              text, input + "/text", MemoryWorkload.blockBytes(inputBytes, MemoryWorkload.MAPS));
      Files.delete(text);
      return "text of many words";
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + text, e);
    }
  }

  private static Way stock(StockTuning tuning) {
    return new Way(MemoryVariant.STOCK, Optional.empty(), Map.of(), tuning.settings());
  }

  private Way ours(MemoryWorkload workload, NodeMemory memory) {
    SluiceTuning tuning = SluiceTuning.of(memory, data.get(workload));
    return new Way(
        MemoryVariant.SLUICE, Optional.of(sluice), tuning.nodeSettings(), tuning.settings());
  }

  /** Returns stock's fastest tuning, if there is one. */
  private Optional<StockTuning> cell(
      BoundedNode node, MemoryWorkload workload, double fraction, NodeMemory memory) {
    String name = "%s, %s".formatted(workload.title(), fraction);
    Map<StockTuning, MemoryCell> tried = tries(node, workload, name, memory);
    Optional<StockTuning> stock =
        tried.entrySet().stream()
            .min(Comparator.comparingDouble(entry -> entry.getValue().wallS()))
            .map(Map.Entry::getKey);
    results.begin(workload, fraction, memory, stock, SluiceTuning.of(memory, data.get(workload)));
    for (int round = 1; round <= plan.rounds(); round++) {
      String step = name + ", round " + round;
      Optional<MemoryCell> ofStock =
          round == 1
              ? stock.map(tried::get)
              : stock.flatMap(tuning -> attempt(node, workload, memory, stock(tuning), step));
      Optional<MemoryCell> ofSluice = attempt(node, workload, memory, ours(workload, memory), step);
      Map<MemoryVariant, MemoryCell> cells = new EnumMap<>(MemoryVariant.class);
      ofStock.ifPresent(cell -> cells.put(MemoryVariant.STOCK, cell));
      ofSluice.ifPresent(cell -> cells.put(MemoryVariant.SLUICE, cell));
      results.add(cells);
    }
    return stock;
  }

  /** In the memory of the large job, with room for another ApplicationMaster. */
  private void secondJobs(BoundedNode node, NodeMemory memory, Optional<StockTuning> stock) {
    List<Way> ways = new ArrayList<>();
    stock.ifPresent(tuning -> ways.add(stock(tuning)));
    ways.add(ours(MemoryWorkload.SORT, memory));
    for (int round = 1; round <= plan.rounds(); round++) {
      for (Way way : ways) {
        String step = "A small job, round %d, %s".formatted(round, way.variant().title());
        Map<String, String> nodeSettings = new LinkedHashMap<>(way.nodeSettings());
        nodeSettings.putAll(SecondJob.nodeSettings());
        attempt(
                step,
                () ->
                    node.with(
                        way.service(),
                        nodeSettings,
                        Optional.of(memory.limitBytes() + SecondJob.MASTER_BYTES),
                        session -> secondJob(session, way.settings(), step)))
            .ifPresent(costs -> results.secondJob(way.variant(), costs));
      }
    }
  }

  private SecondJob.Costs secondJob(
      BoundedNode.Session session, Map<String, String> settings, String step) {
    String besideOutput = SMALL_OUTPUT + "-beside";
    MemoryWorkload large = MemoryWorkload.SORT;
    MemoryWorkload small = MemoryWorkload.PLAIN_WORD_COUNT;
    for (String left : List.of(SMALL_OUTPUT, besideOutput, output(large))) { // by one that failed
      session.cluster().fileSystem().delete(left);
    }
    SecondJob.Costs costs =
        new SecondJob(console, settings)
            .measure(
                session,
                step,
                job(small, SMALL_INPUT, SMALL_OUTPUT),
                job(small, SMALL_INPUT, besideOutput),
                job(large, input(large), output(large)));
    checkOutput(session, small, SMALL_OUTPUT, smallOutput, step);
    checkOutput(session, small, besideOutput, smallOutput, step);
    checkOutput(session, large, output(large), outputs.get(large), step);
    return costs;
  }

  /**
   * Stock with each tuning, once: the best is its first round, which is in its favour. Without
   * those that failed, or had a process killed. They are not tried again in less memory.
   */
  private Map<StockTuning, MemoryCell> tries(
      BoundedNode node, MemoryWorkload workload, String name, NodeMemory memory) {
    Map<StockTuning, Optional<MemoryCell>> tried = new LinkedHashMap<>();
    for (StockTuning.Mix mix : StockTuning.Mix.values()) {
      StockTuning tuning = StockTuning.of(memory, data.get(workload), mix);
      String step = "%s, with memory for %s".formatted(name, mix.title());
      if (memory.shuffleBytes() >= failedAtBytes.getOrDefault(new Try(workload, mix), 0L)) {
        tried.computeIfAbsent(tuning, t -> attempt(node, workload, memory, stock(t), step));
        if (tried.get(tuning).filter(MemoryCell::valid).isEmpty()) {
          failedAtBytes.put(new Try(workload, mix), memory.shuffleBytes());
        }
      }
    }
    results.tried(workload, memory, tried);
    Map<StockTuning, MemoryCell> valid = new LinkedHashMap<>();
    tried.forEach(
        (tuning, cell) ->
            cell.filter(MemoryCell::valid).ifPresent(found -> valid.put(tuning, found)));
    return valid;
  }

  private Optional<MemoryCell> attempt(
      BoundedNode node, MemoryWorkload workload, NodeMemory memory, Way way, String name) {
    String step = name + ", " + way.variant().title();
    return attempt(
        step,
        () ->
            node.with(
                way.service(),
                way.nodeSettings(),
                Optional.of(memory.limitBytes()),
                session -> measure(session, workload, way.settings(), step)));
  }

  private MemoryCell measure(
      BoundedNode.Session session,
      MemoryWorkload workload,
      Map<String, String> settings,
      String step) {
    session.cluster().fileSystem().delete(output(workload)); // of one that failed
    MemoryCell cell =
        console.job(
            step,
            progress ->
                session.measure(
                    job(workload, input(workload), output(workload)), settings, progress));
    checkOutput(session, workload, output(workload), outputs.get(workload), step);
    return cell;
  }

  /** Deletes it, too. Of this session nothing is measured after it. */
  private static void checkOutput(
      BoundedNode.Session session,
      MemoryWorkload workload,
      String output,
      List<String> expected,
      String step) {
    session.unbound();
    List<String> found = OutputDigest.of(session.cluster().fileSystem(), output, workload.isText());
    session.cluster().fileSystem().delete(output);
    if (!found.equals(expected)) {
      throw new WrongOutputException(
          "%s: the output differs from stock's in ample memory; digests of the part files: %s, expected %s"
              .formatted(step, found, expected));
    }
  }

  /** A job or cluster that does not do it in this memory is a result too. */
  private <T> Optional<T> attempt(String step, Supplier<T> attempt) {
    try {
      return Optional.of(attempt.get());
    } catch (ClusterException e) {
      results.failed(step, e);
      console.say("FAILED: " + step + ": " + e.getMessage());
      return Optional.empty();
    }
  }

  private JobSpec job(MemoryWorkload workload, String input, String output) {
    return workload
        .job(workspace, hadoop, input, output)
        .with("mapreduce.job.reduces", MemoryWorkload.REDUCES)
        .with("mapreduce.map.maxattempts", 1) // where one is killed, the run counts for nothing
        .with("mapreduce.reduce.maxattempts", 1)
        .with("mapreduce.map.speculative", false) // a slow device would make twins at random
        .with("mapreduce.reduce.speculative", false);
  }

  private static String input(MemoryWorkload workload) {
    return "/bench/" + workload.id() + "/input";
  }

  private static String output(MemoryWorkload workload) {
    return "/bench/" + workload.id() + "/output";
  }
}
