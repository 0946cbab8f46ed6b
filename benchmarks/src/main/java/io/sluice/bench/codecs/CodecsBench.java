package io.sluice.bench.codecs;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.Bench;
import io.sluice.bench.Bench.SameOutput;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot.CostPlot;
import io.sluice.bench.codecs.MergeProgram.BenchCodec;
import io.sluice.bench.codecs.MergeProgram.MergeCost;
import io.sluice.bench.codecs.MergeProgram.MergeCost.MergeTask;
import io.sluice.bench.codecs.MergeProgram.MergeCost.MergeVariant;
import io.sluice.bench.codecs.MergeProgram.MergeRunner;
import io.sluice.bench.codecs.SortedRuns.RunsMerge.RecordsDigest;
import io.sluice.it.cluster.ClusterDirectory;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jpountz.lz4.LZ4Factory;

/**
 * The merge of a reduce over many runs, by codec, by stock and by Sluice in turn. All of them merge
 * the same records, which must come out in the same order however many runs they lie in.
 *
 * <p>Not thread-safe. A merge that fails, or puts out other records, is a {@link ClusterException}.
 *
 * @param console says what runs
 * @param maps how many runs there are, one of each map: one number after the other
 * @param records of all runs together
 * @param codecs those that lack their library are left out
 */
public record CodecsBench(
    Console console, List<Integer> maps, long records, List<BenchCodec> codecs) {
  private static final List<Ratio<MergeVariant>> RATIOS =
      List.of(
          new Ratio<>(MergeVariant.SLUICE, MergeVariant.STOCK_10),
          new Ratio<>(MergeVariant.SLUICE, MergeVariant.STOCK_100));

  /** Counts each number and codec once. */
  public CodecsBench {
    maps = maps.stream().distinct().toList();
    codecs = codecs.stream().distinct().toList();
  }

  /**
   * Runs all rounds, and writes the results.
   *
   * @param place for files, on disk or in memory
   */
  public void run(Workspace workspace, Path place, int rounds, ResultFiles files) {
    try (MergeProcesses processes = MergeProcesses.open(workspace, place)) {
      run(processes, processes.fileSystem(), rounds, files);
    }
  }

  /** The same with another runner, and files on that kind of file system. */
  void run(MergeRunner runner, String fileSystem, int rounds, ResultFiles files) {
    int mostMaps = Collections.max(maps);
    if (records < mostMaps) { // first: the merges of fewer runs take their time
      throw new ClusterException(
          records + " records are too few for a run of each of " + mostMaps + " maps");
    }
    Map<BenchCodec, String> missing = new EnumMap<>(runner.missing());
    missing.keySet().retainAll(codecs);
    List<BenchCodec> used = new ArrayList<>(codecs);
    used.removeAll(missing.keySet());
    missing.forEach((codec, why) -> console.say(codec.title() + " is left out: " + why));
    if (used.isEmpty()) {
      throw new ClusterException("none of these codecs has its library here");
    }
    Map<Integer, Comparison<MergeVariant, Map<BenchCodec, MergeCost>>> byMaps = new TreeMap<>();
    maps.forEach(count -> byMaps.put(count, new Comparison<>(RATIOS)));
    Bench bench =
        Bench.of(
                "bench-codecs",
                "The merge of a reduce: %,d records in runs of many maps, by codec",
                records)
            .data("records", records)
            .roundCount()
            .data("fileSystem", fileSystem)
            .data("leftOut", missing)
            .dataOf("maps", () -> rounds(byMaps))
            .notes(() -> notes(missing, fileSystem))
            .plot("", title -> plot(byMaps, used));
    byMaps.forEach(
        (count, comparison) ->
            bench.table("The merge of %,d runs:".formatted(count), comparison, figures(used)));
    SameOutput<RecordsDigest.Sum> same = new SameOutput<>("the merge");
    bench
        .table(
            "The runs, and records written by merges before the last:",
            () -> runsTable(byMaps, used))
        .run(
            rounds,
            round ->
                maps.forEach(
                    count -> byMaps.get(count).add(round(runner, round, count, used, same))),
            console,
            files);
  }

  private Map<MergeVariant, Map<BenchCodec, MergeCost>> round(
      MergeRunner runner,
      int round,
      int count,
      List<BenchCodec> used,
      SameOutput<RecordsDigest.Sum> same) {
    return Bench.inTurn(
        used,
        List.of(MergeVariant.values()),
        (codec, variant) -> {
          String step =
              "Round %d, %,d runs, %s, %s".formatted(round, count, codec.title(), variant.title());
          MergeTask task = new MergeTask(variant, codec, count, records);
          MergeCost cost = console.step(step, () -> runner.run(task));
          same.add(step, cost.output());
          return cost;
        });
  }

  private static Map<Integer, Object> rounds(
      Map<Integer, Comparison<MergeVariant, Map<BenchCodec, MergeCost>>> byMaps) {
    Map<Integer, Object> rounds = new TreeMap<>();
    byMaps.forEach((maps, comparison) -> rounds.put(maps, comparison.rounds()));
    return rounds;
  }

  private static List<Figure<Map<BenchCodec, MergeCost>>> figures(List<BenchCodec> codecs) {
    Figure<MergeCost> cpu = Figure.fineSeconds("CPU", MergeCost::cpuMs);
    return Stream.concat(
            codecs.stream().map(CodecsBench::time),
            codecs.stream().map(codec -> cpu.ofCase(codec.title() + ", CPU", codec)))
        .toList();
  }

  private static Figure<Map<BenchCodec, MergeCost>> time(BenchCodec codec) {
    return Figure.fineSeconds("time", MergeCost::wallMs).ofCase(codec.title() + ", time", codec);
  }

  private TextTable runsTable(
      Map<Integer, Comparison<MergeVariant, Map<BenchCodec, MergeCost>>> byMaps,
      List<BenchCodec> used) {
    TextTable table =
        new TextTable(
            List.of(
                "",
                "raw",
                "stock's, a stream each",
                "Sluice's",
                "in",
                "written again by stock, factor 10",
                "by stock, factor 100",
                "by Sluice"));
    byMaps.forEach(
        (count, comparison) -> {
          Map<MergeVariant, Map<BenchCodec, MergeCost>> first = comparison.rounds().get(0);
          for (BenchCodec codec : used) {
            MergeCost defaults = first.get(MergeVariant.STOCK_10).get(codec);
            MergeCost tuned = first.get(MergeVariant.STOCK_100).get(codec);
            MergeCost sluice = first.get(MergeVariant.SLUICE).get(codec);
            table.add(
                List.of(
                    "%,d runs, %s".formatted(count, codec.title()),
                    megabytes(sluice.rawBytes()),
                    megabytes(defaults.storedBytes()),
                    megabytes(sluice.storedBytes()),
                    form(codec, sluice.chunkBytes()),
                    rewritten(defaults),
                    rewritten(tuned),
                    rewritten(sluice)));
          }
        });
    return table;
  }

  private static String megabytes(long bytes) {
    return "%.1f MB".formatted(bytes / 1e6);
  }

  private static String form(BenchCodec codec, int chunkBytes) {
    if (codec == BenchCodec.NONE) {
      return "plain records";
    }
    return chunkBytes == 0 ? "a stream each" : "chunks of %d KiB".formatted(chunkBytes >> 10);
  }

  /** How often the mean record was written. */
  private String rewritten(MergeCost cost) {
    return "%.2f times".formatted((double) cost.rewrittenRecords() / records);
  }

  private static List<String> notes(Map<BenchCodec, String> missing, String fileSystem) {
    List<String> notes = new ArrayList<>();
    notes.add(
        "Records have a key of %d hex digits, none twice, and a value of %d letters in words; every run is sorted. All merges put out the same records in the same order, by a checksum that is part of the time."
            .formatted(SortedRuns.KEY_LETTERS, SortedRuns.VALUE_LETTERS));
    notes.add(
        "Sluice's ReduceMerge reads the runs from memory, where they lie as a map of this many stores them; stock's Merger reads each from a file (%s). That is in Sluice's favour: it opens no files. Both write to files there what the merges before the last one have made. Both verify checksums of all that they read."
            .formatted(fileSystem));
    notes.add(
        "Each merge has a process of its own (%s), in which %d merges before it are not counted. CPU is that of the whole process during the merge."
            .formatted(String.join(" ", MergeProcesses.JVM_OPTIONS), MergeProgram.WARM_UPS));
    missing.forEach((codec, why) -> notes.add(codec.title() + " is left out: " + why));
    return notes;
  }

  /** Sluice's time by codec and number of runs, of stock's with either factor. */
  private CostPlot plot(
      Map<Integer, Comparison<MergeVariant, Map<BenchCodec, MergeCost>>> byMaps,
      List<BenchCodec> used) {
    List<String> categories = new ArrayList<>();
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    byMaps.forEach(
        (count, comparison) -> {
          for (BenchCodec codec : used) {
            categories.add("%,d, %s".formatted(count, codec.title()));
            for (Ratio<MergeVariant> ratio : RATIOS) {
              bars.computeIfAbsent("of " + ratio.base().title(), key -> new ArrayList<>())
                  .add(comparison.bar(time(codec), ratio));
            }
          }
        });
    return new CostPlot(
        "The merge of %,d records, by number of runs and codec".formatted(records),
        "Sluice's time, in per cent of stock's",
        categories,
        bars);
  }

  /**
   * Each merge in a process of its own ({@link MergeProgram}), on stock's jars, Sluice's and LZ4's,
   * which Hadoop does not ship.
   *
   * <p>One thread. Ownership: the caller of {@link #open} closes it, which deletes all files.
   * Failure: a process that fails is a {@link ClusterException} with the end of what it said.
   */
  static final class MergeProcesses implements MergeRunner, AutoCloseable {
    static final List<String> JVM_OPTIONS = List.of("-Xmx1g", "-XX:+UseSerialGC");

    private final ClusterDirectory directory;
    private final LocalJobClient client;

    private MergeProcesses(ClusterDirectory directory, LocalJobClient client) {
      this.directory = directory;
      this.client = client;
    }

    /** Makes a directory for all files in that place, and deletes what killed processes left. */
    static MergeProcesses open(Workspace workspace, Path place) {
      ClusterDirectory.removeLeftovers(place);
      HadoopDistribution hadoop = HadoopDistribution.underTest(workspace);
      Path engineJar =
          SluiceFragments.load(workspace)
              .orElseThrow(() -> new ClusterException("Sluice's jar for Hadoop is not built"))
              .jar();
      List<Path> jars = List.of(engineJar, jarOf(LZ4Factory.class));
      ClusterDirectory directory = ClusterDirectory.create(place);
      return new MergeProcesses(
          directory, LocalJobClient.ofJars(hadoop, jars, directory.path(), JVM_OPTIONS));
    }

    /** On which its files lie. */
    String fileSystem() {
      try {
        return Files.getFileStore(directory.path()).type();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot tell the file system of " + directory.path(), e);
      }
    }

    private static Path jarOf(Class<?> type) {
      try {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      } catch (URISyntaxException e) {
        throw new IllegalStateException(type.getName() + " is nowhere", e);
      }
    }

    @Override
    public Map<BenchCodec, String> missing() {
      try {
        return new ObjectMapper().readValue(start(List.of()).toFile(), new TypeReference<>() {});
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read which codecs there are", e);
      }
    }

    @Override
    public MergeCost run(MergeTask task) {
      Path files = directory.path().resolve("merge");
      try {
        return MergeCost.read(
            start(
                List.of(
                    files.toString(),
                    task.variant().name(),
                    task.codec().name(),
                    Integer.toString(task.maps()),
                    Long.toString(task.records()))));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read what a merge took", e);
      } finally {
        Workspace.delete(files);
      }
    }

    /** Runs the program, and says where its result is. */
    private Path start(List<String> more) {
      Path result = directory.path().resolve("result.json");
      List<String> arguments =
          new ArrayList<>(List.of(MergeProgram.class.getName(), result.toString()));
      arguments.addAll(more);
      client.run(jarOf(MergeProgram.class), arguments);
      return result;
    }

    @Override
    public void close() {
      directory.delete();
    }
  }
}
