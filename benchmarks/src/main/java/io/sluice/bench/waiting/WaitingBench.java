package io.sluice.bench.waiting;

import io.sluice.bench.LinePlot;
import io.sluice.bench.Plot;
import io.sluice.bench.ResultPage;
import io.sluice.bench.Spread;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.SparkNodeService;
import io.sluice.tools.text.TextTable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * What the service of a node takes while tasks wait for memory, of this release or of another one:
 * a service in a process of its own, and {@link WaitingProgram} in another, both on its jar.
 *
 * <p>Not thread-safe.
 */
public final class WaitingBench {
  private static final int POOL_MB = 64;
  private static final long DEADLINE_S = 180;

  private final Path jar;
  private final Console console;
  private final List<Integer> tasks;
  private final Map<Integer, List<Took>> byTasks = new TreeMap<>();

  /**
   * Measures with these numbers of tasks.
   *
   * @param jar Sluice's tools, of the release to be measured
   */
  public WaitingBench(Path jar, Console console, List<Integer> tasks) {
    this.jar = jar;
    this.console = console;
    this.tasks = tasks;
  }

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles files) {
    for (int round = 1; round <= rounds; round++) {
      for (int count : tasks) {
        Took took = console.step("%,d waiting tasks".formatted(count), () -> measure(count));
        byTasks.computeIfAbsent(count, key -> new ArrayList<>()).add(took);
      }
    }
    page(rounds).show(console, files);
  }

  private Took measure(int count) {
    Path directory = null;
    try {
      directory = Files.createTempDirectory("sluice-waiting");
      try (SparkNodeService service = SparkNodeService.startWithoutDisk(jar, directory, POOL_MB)) {
        return Took.find(run(service, count, directory.resolve("tasks.log")));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start the tasks", e);
    } finally {
      if (directory != null) {
        Workspace.delete(directory);
      }
    }
  }

  private String run(SparkNodeService service, int count, Path log) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-cp",
                jar + File.pathSeparator + ownJar(),
                WaitingProgram.class.getName(),
                service.directory().toString(),
                Long.toString(service.pid()),
                Integer.toString(count))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      boolean ended = process.waitFor(DEADLINE_S, TimeUnit.SECONDS);
      String said = Files.readString(log);
      if (!ended || process.exitValue() != 0) {
        throw new ClusterException(
            "the waiting tasks of %s %s:%n%s"
                .formatted(jar, ended ? "have failed" : "do not end", said));
      }
      return said;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while tasks were waiting", e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static Path ownJar() {
    try {
      return Path.of(
          WaitingProgram.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("this program is nowhere", e);
    }
  }

  private ResultPage page(int rounds) {
    TextTable table =
        new TextTable(
            List.of(
                "tasks that wait",
                "processor seconds in 10 s",
                "a refusal of another takes",
                "at most",
                "answered meanwhile"));
    byTasks.forEach(
        (count, took) ->
            table.add(
                List.of(
                    "%,d".formatted(count),
                    spread(took, Took::cpuOfTenSeconds).show("%.2f s"::formatted),
                    spread(took, Took::eventMs).show("%.1f ms"::formatted),
                    spread(took, Took::worstMs).show("%.0f ms"::formatted),
                    spread(took, Took::answers).show("%.0f"::formatted))));
    List<LinePlot.Point> points = new ArrayList<>();
    byTasks.forEach(
        (count, took) -> points.add(LinePlot.Point.of(count, spread(took, Took::cpuOfTenSeconds))));
    Map<String, Plot> plots =
        Map.of(
            "",
            new LinePlot(
                "What the service of a node takes while tasks wait for memory",
                "tasks that wait",
                "processor seconds in 10 s",
                Map.of("service", points)));
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("jar", jar.getFileName().toString());
    data.put("rounds", rounds);
    data.put("tasks", byTasks);
    return new ResultPage(
        "bench-waiting",
        "A node whose tasks wait for memory",
        Machine.here(),
        data,
        Map.of("", table),
        List.of(
            "A reduce holds all of a pool of %d MiB that has no disk tier. So many tasks of another job ask for 64 KiB each, and wait, for what it may give back. Meanwhile a third job asks for as much all the time, 20 ms after it was refused: each time is an event that all who wait are looked at for. Figures are of six seconds. Where tasks are answered meanwhile, fewer have waited."
                .formatted(POOL_MB)),
        plots);
  }

  private static Spread spread(List<Took> took, ToDoubleFunction<Took> figure) {
    return Spread.of(took.stream().map(figure::applyAsDouble).toList());
  }
}
