package io.sluice.bench.local;

import io.sluice.bench.hadoop.Size;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.util.List;

/**
 * Where pull, push and hybrid exchange cross over in the engine: the same records, made by maps and
 * looked at by reduces, through few and through many tasks.
 *
 * <p>Not thread-safe. A failed job or reduces that see other records are a {@link
 * ClusterException}.
 */
public final class ExchangeBench {
  private final Workspace workspace;
  private final Console console;
  private final long sizeBytes;
  private final List<ExchangeShape> shapes;

  /** Of so many bytes in each shape. */
  public ExchangeBench(
      Workspace workspace, Console console, long sizeBytes, List<ExchangeShape> shapes) {
    this.workspace = workspace;
    this.console = console;
    this.sizeBytes = sizeBytes;
    this.shapes = shapes;
  }

  /** Runs a round that is not counted, and then so many, of each; writes the results after each. */
  public void run(int rounds, ResultFiles results) {
    try (LocalPlace place = LocalPlace.open(workspace)) {
      ExchangeRun runs =
          new ExchangeRun(place, workspace.fragments().resolve("local/log4j.properties"));
      ExchangeResults page = new ExchangeResults(place.hadoop(), sizeBytes, rounds);
      for (ExchangeShape shape : shapes) {
        for (ExchangeKeys keys : ExchangeKeys.values()) {
          page.add(
              console.step(
                  "%s, %s keys, %s".formatted(shape, keys.title(), Size.show(sizeBytes)),
                  () -> runs.run(shape, keys, sizeBytes / ChainBench.RECORD_BYTES, rounds)));
          page.page().write(results); // it may be ended before the last
        }
      }
      page.page().show(console, results);
    }
  }
}
