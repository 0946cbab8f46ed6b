package io.sluice.bench.codecs;

import io.sluice.bench.SameOutput;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The merge of a reduce over many runs, by codec, by stock and by Sluice in turn. All of them merge
 * the same records, which must come out in the same order however many runs they lie in.
 *
 * <p>Not thread-safe. A merge that fails, or puts out other records, is a {@link ClusterException}.
 */
public final class CodecsBench {
  private final Console console;
  private final List<Integer> maps;
  private final long records;
  private final List<BenchCodec> codecs;

  /**
   * Of so many runs at a time.
   *
   * @param maps how many there are, one of each map
   * @param records of all runs together
   * @param codecs those that lack their library are left out
   */
  public CodecsBench(Console console, List<Integer> maps, long records, List<BenchCodec> codecs) {
    this.console = console;
    this.maps = maps.stream().distinct().toList();
    this.records = records;
    this.codecs = codecs.stream().distinct().toList();
  }

  /**
   * Runs all rounds, and writes the results, after each round anew.
   *
   * @param place for files, on disk or in memory
   */
  public void run(Workspace workspace, Path place, int rounds, ResultFiles files) {
    try (MergeProcesses processes = MergeProcesses.open(workspace, place)) {
      run(processes, processes.fileSystem(), rounds, files);
    }
  }

  /** The same by whoever does the merges, with files on that kind of file system. */
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
    CodecsResults results = new CodecsResults(records, used, missing, fileSystem);
    SameOutput<RecordsDigest.Sum> same = new SameOutput<>("the merge");
    for (int round = 1; round <= rounds; round++) {
      for (int count : maps) {
        results.add(count, round(runner, round, count, used, same));
      }
      results.page().write(files); // it may be ended before the last
    }
    results.page().show(console, files);
  }

  private Map<MergeVariant, Map<BenchCodec, MergeCost>> round(
      MergeRunner runner,
      int round,
      int count,
      List<BenchCodec> used,
      SameOutput<RecordsDigest.Sum> same) {
    Map<MergeVariant, Map<BenchCodec, MergeCost>> costs = new EnumMap<>(MergeVariant.class);
    for (BenchCodec codec : used) {
      for (MergeVariant variant : MergeVariant.values()) {
        MergeTask task = new MergeTask(variant, codec, count, records);
        String title =
            "Round %d, %,d runs, %s, %s".formatted(round, count, codec.title(), variant.title());
        MergeCost cost = console.step(title, () -> runner.run(task));
        same.add(title, cost.output());
        costs.computeIfAbsent(variant, key -> new EnumMap<>(BenchCodec.class)).put(codec, cost);
      }
    }
    return costs;
  }
}
