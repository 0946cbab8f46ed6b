package io.sluice.bench.node;

import io.sluice.bench.Bench;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.Scale;
import io.sluice.bench.node.WaitingProgram.Took;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.SparkNodeService;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The costs of a node's service while tasks wait for memory, of this release or of another one: a
 * service in a process of its own, and {@link WaitingProgram} in another, both on its jar.
 *
 * <p>Not thread-safe.
 *
 * @param jar Sluice's tools, of the release to be measured
 * @param console says what runs
 * @param tasks how many wait, one number after the other
 */
public record WaitingBench(Path jar, Console console, List<Integer> tasks) {
  private static final int POOL_MB = 64;
  private static final long DEADLINE_S = 180;
  private static final String CPU = "processor seconds in 10 s";
  private static final List<Figure<Took>> FIGURES =
      List.of(
          new Figure<>(CPU, Took::cpuOfTenSeconds, "%.2f s"::formatted),
          new Figure<>("a refusal of another takes", Took::eventMs, "%.1f ms"::formatted),
          new Figure<>("at most", Took::worstMs, "%.0f ms"::formatted),
          new Figure<>("answered meanwhile", Took::answers, "%.0f"::formatted));

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles files) {
    Scale<Took> byTasks = new Scale<>(tasks, "%,d waiting tasks", this::measure);
    Bench.of("bench-waiting", "A node whose tasks wait for memory")
        .data("jar", jar.getFileName().toString())
        .roundCount()
        .data("tasks", byTasks.measured())
        .table("", () -> byTasks.table("tasks that wait", FIGURES))
        .notes(
            "A reduce holds all of a pool of %d MiB that has no disk tier. So many tasks of another job ask for 64 KiB each, and wait until it gives some back. Meanwhile a third job asks for as much all the time, 20 ms after each refusal: each time the service looks at all that wait. Figures are of six seconds. Where tasks are answered meanwhile, fewer have waited."
                .formatted(POOL_MB))
        .plot(
            "",
            title ->
                new LinePlot(
                    "What the service of a node takes while tasks wait for memory",
                    "tasks that wait",
                    CPU,
                    byTasks.lines(List.of(FIGURES.get(0).titled("service")))))
        .run(rounds, round -> byTasks.round(console), console, files);
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
}
