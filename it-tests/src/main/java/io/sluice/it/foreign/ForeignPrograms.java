package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Runs programs one after the other, in one process and on one cluster for all of them.
 *
 * <p>Not thread-safe. The directory of a program is removed when it did what stock does, and kept
 * in {@code target/foreign} when it did not.
 */
public final class ForeignPrograms {
  private final Workspace workspace;
  private final Console console;

  /** Runs nothing yet. */
  public ForeignPrograms(Workspace workspace, Console console) {
    this.workspace = workspace;
    this.console = console;
  }

  /**
   * Runs them all, whatever comes of one.
   *
   * @param withCluster whether those that run on a cluster do so, too
   */
  public List<ForeignResult> run(Collection<ForeignProgram> programs, boolean withCluster) {
    List<ForeignResult> results = new ArrayList<>();
    for (ForeignProgram program : programs) {
      results.add(console.step(program.title(), () -> compare(program, ForeignRun::run)));
    }
    List<ForeignProgram> onCluster =
        programs.stream().filter(each -> withCluster && each.runsOnCluster()).toList();
    if (!onCluster.isEmpty()) {
      try (PseudoCluster cluster = PseudoCluster.start(workspace, spec())) {
        for (ForeignProgram program : onCluster) {
          results.add(
              console.step(
                  program.title() + ", YARN",
                  () -> compare(program, run -> run.onCluster(cluster))));
        }
      }
    }
    return results;
  }

  /** One program. */
  public ForeignResult compare(ForeignProgram program, Function<ForeignRun, ForeignResult> how) {
    try {
      Path parent = Files.createDirectories(workspace.root().resolve("target/foreign"));
      Path directory = Files.createTempDirectory(parent, program.directoryName() + "-");
      ForeignResult result = how.apply(new ForeignRun(workspace, program, directory));
      if (result.problems().isEmpty()) {
        Workspace.delete(directory);
      }
      return result;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a directory for " + program, e);
    }
  }

  private ClusterSpec spec() {
    SluiceFragments sluice =
        SluiceFragments.load(workspace)
            .orElseThrow(() -> new ClusterException("Sluice's jar has not been built"));
    return ClusterSpec.of(HadoopDistribution.underTest(workspace)).withSluice(sluice, Set.of());
  }

  /** The page of results. */
  public static String page(Machine machine, List<ForeignResult> results) {
    return """
    # Other people's programs

    Released programs, run by stock Hadoop %s and by Sluice: in one process by LocalJobRunner and by the engine \
    (`mapreduce.framework.name=sluice`), on YARN with Hadoop's shuffle and with Sluice's. The output is compared line by \
    line. Counters of all jobs of a program are added up and compared, but for those of time, memory, spills, combiners, \
    file systems and the shuffle's bytes. `./sluice foreign` writes this page.

    %s
    On %s.
    """
        .formatted(
            HadoopDistribution.DEFAULT_VERSION, ForeignResult.table(results).toMarkdown(), machine);
  }
}
