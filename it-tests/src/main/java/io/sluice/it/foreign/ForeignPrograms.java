package io.sluice.it.foreign;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs programs one after the other, in one process and on one cluster for all of them.
 *
 * <p>Not thread-safe. The directory of a program is removed when it did what stock does, and kept
 * in {@code target/foreign} when it did not.
 */
public record ForeignPrograms(Workspace workspace, Console console) {
  private static final String PAGE = "foreign";
  private static final String TEXT =
      """
      # Other people's programs

      Released programs, run by stock and by Sluice: in one process, by Hadoop %s's LocalJobRunner and by the engine
      (`mapreduce.framework.name=sluice`); on YARN and on Spark, with stock's shuffle and with Sluice's. The output is compared
      line by line, and each job's counters, but for those of time, memory, spills, combiners, file systems, the length of
      paths and the shuffle's bytes; where a counter differs, the row says why. A row of MapReduce fails if its jobs' names or
      counters do not show that Sluice served it without stock's help. On Spark Sluice leaves nothing to Spark's own shuffle
      (`spark.sluice.fallback.policy=never`), and a program of whose shuffles it served no byte fails. Seconds say no more
      than whether a run was long.
      `./sluice foreign` writes this page, `./sluice foreign PROGRAM` the rows of one program.

      %s""";

  /**
   * Runs them all, whatever comes of one, but for those that cannot run here: of such a program it
   * says why.
   *
   * @param withCluster whether those that run on a cluster do so, too
   */
  public List<ForeignResult> run(Collection<ForeignProgram> programs, boolean withCluster) {
    List<ForeignResult> results = new ArrayList<>();
    for (ForeignProgram program : programs) {
      ForeignRun.obstacle(program)
          .ifPresentOrElse(
              why -> console.say(program.title() + " is skipped: " + why),
              () -> results.add(step(program, ForeignRun.where(program), ForeignRun::run)));
    }
    List<ForeignProgram> onCluster =
        programs.stream().filter(each -> withCluster && each.runsOnCluster()).toList();
    if (!onCluster.isEmpty()) {
      results.addAll(onCluster(onCluster));
    }
    return results;
  }

  private List<ForeignResult> onCluster(List<ForeignProgram> programs) {
    PseudoCluster started;
    try {
      started = PseudoCluster.start(workspace, spec());
    } catch (RuntimeException e) {
      return programs.stream()
          .map(each -> ForeignResult.failedByStock(each.title(), ForeignRun.YARN, messages(e), 0))
          .toList();
    }
    try (PseudoCluster cluster = started) {
      return programs.stream()
          .map(each -> step(each, ForeignRun.YARN, run -> run.onCluster(cluster)))
          .toList();
    }
  }

  private ForeignResult step(
      ForeignProgram program, String where, Function<ForeignRun, ForeignResult> how) {
    return console.step(program.title() + ", " + where, () -> compare(program, where, how));
  }

  /**
   * One program. Whatever keeps stock from running it is in the result, as is what keeps Sluice.
   *
   * @param where for a result without a run
   */
  ForeignResult compare(
      ForeignProgram program, String where, Function<ForeignRun, ForeignResult> how) {
    long startNs = System.nanoTime();
    try {
      Path parent = Files.createDirectories(workspace.root().resolve("target/foreign"));
      Path directory = Files.createTempDirectory(parent, program.directoryName() + "-");
      ForeignResult result = how.apply(new ForeignRun(workspace, program, directory));
      if (result.problems().isEmpty()) {
        Workspace.delete(directory);
      }
      return result;
    } catch (RuntimeException | IOException e) {
      return ForeignResult.failedByStock(
          program.title(), where, messages(e), (System.nanoTime() - startNs) / 1e9);
    }
  }

  private static String messages(Throwable thrown) {
    return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
        .map(Throwable::toString)
        .collect(Collectors.joining("; "));
  }

  private ClusterSpec spec() {
    SluiceFragments sluice =
        SluiceFragments.load(workspace)
            .orElseThrow(() -> new ClusterException("Sluice's jar has not been built"));
    return ClusterSpec.of(HadoopDistribution.underTest(workspace)).withSluice(sluice, Set.of());
  }

  /**
   * Writes the page of results and its JSON: these results, in place of earlier ones of the same
   * programs, and the others' as they were.
   */
  public static Path publish(Path directory, List<ForeignResult> results) {
    Path json = directory.resolve(PAGE + ".json");
    List<ForeignResult> all = new ArrayList<>(Files.exists(json) ? read(json) : List.of());
    all.removeIf(old -> results.stream().anyMatch(old::isOfTheSameRun));
    all.addAll(results);
    all.sort(Comparator.comparing(ForeignResult::where).thenComparing(ForeignResult::title));
    ResultFiles files = new ResultFiles(directory);
    files.json(PAGE, all);
    return files.text(
        PAGE + ".md",
        TEXT.formatted(HadoopDistribution.DEFAULT_VERSION, ForeignResult.table(all).toMarkdown()));
  }

  private static List<ForeignResult> read(Path json) {
    try {
      return List.of(new ObjectMapper().readValue(json.toFile(), ForeignResult[].class));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + json, e);
    }
  }
}
