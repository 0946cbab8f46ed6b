package io.sluice.bench.crowd;

import io.sluice.bench.LinePlot;
import io.sluice.bench.Plot;
import io.sluice.bench.ResultPage;
import io.sluice.bench.Spread;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.tools.text.TextTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * What a large cluster asks of one process: a reader of thousands of nodes, and a node that
 * thousands of readers ask. All nodes are one service, at many addresses of this host.
 *
 * <p>Not thread-safe.
 */
public final class CrowdBench {
  private static final String TITLE = "A reader of many nodes, and a node of many readers";

  private final Workspace workspace;
  private final Console console;
  private final List<Integer> nodes;
  private final List<Integer> readers;
  private final Map<Integer, List<ManyNodes.Took>> byNodes = new TreeMap<>();
  private final Map<Integer, List<ManyReaders.Took>> byReaders = new TreeMap<>();

  /** Measures with these numbers of nodes and of readers. */
  public CrowdBench(
      Workspace workspace, Console console, List<Integer> nodes, List<Integer> readers) {
    this.workspace = workspace;
    this.console = console;
    this.nodes = nodes;
    this.readers = readers;
  }

  /** Runs all rounds and writes the results. */
  public void run(int rounds, ResultFiles files) {
    Path directory = null;
    try {
      directory = Files.createTempDirectory("sluice-crowd");
      measure(rounds, directory);
    } catch (IOException e) {
      throw new UncheckedIOException("a reader failed", e);
    } finally {
      if (directory != null) {
        Workspace.delete(directory);
      }
    }
    page(rounds).show(console, files);
  }

  private void measure(int rounds, Path directory) throws IOException {
    try (CrowdNode node = CrowdNode.start(workspace, directory)) {
      for (int round = 0; round <= rounds; round++) { // the first does not count
        for (int count : round == 0 ? nodes.subList(0, 1) : nodes) {
          ManyNodes.Took took =
              step(
                  "Reader of %,d nodes".formatted(count), () -> new ManyNodes(node).measure(count));
          if (round > 0) {
            byNodes.computeIfAbsent(count, key -> new ArrayList<>()).add(took);
          }
        }
        for (int count : round == 0 ? readers.subList(0, 1) : readers) {
          ManyReaders.Took took =
              step("%,d readers".formatted(count), () -> new ManyReaders(node).measure(count));
          if (round > 0) {
            byReaders.computeIfAbsent(count, key -> new ArrayList<>()).add(took);
          }
        }
      }
    }
  }

  private interface Step<T> {
    T run() throws IOException;
  }

  private <T> T step(String name, Step<T> step) {
    return console.step(
        name,
        () -> {
          try {
            return step.run();
          } catch (IOException e) {
            throw new UncheckedIOException(name, e);
          }
        });
  }

  private ResultPage page(int rounds) {
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put("One reader of many nodes:", readerTable());
    tables.put("One node of many readers:", nodeTable());
    Map<String, Plot> plots = new LinkedHashMap<>();
    plots.put(
        "-reader",
        new LinePlot(
            "What a reader holds at most",
            "nodes",
            "open files; threads",
            Map.of(
                "open files", points(byNodes, ManyNodes.Took::openFiles),
                "threads", points(byNodes, ManyNodes.Took::threads))));
    plots.put(
        "-node",
        new LinePlot(
            "Until every reader of one node has its answer",
            "readers",
            "seconds",
            Map.of("seconds", points(byReaders, took -> took.ms() / 1e3))));
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("rounds", rounds);
    data.put("nodes", byNodes);
    data.put("readers", byReaders);
    return new ResultPage(
        "bench-crowd",
        TITLE,
        Machine.here(),
        data,
        tables,
        List.of(
            "A reader locates %d runs at each node, one node after the other. Then it reads one run of %d KiB of each of as many nodes as it has windows of %d KiB (%d MiB in all), a window of each in turn. What it holds is what its process has more of than before."
                .formatted(
                    CrowdNode.OUTPUTS,
                    CrowdNode.RUN_BYTES >> 10,
                    CrowdNode.WINDOW_BYTES >> 10,
                    CrowdNode.WINDOWS_BYTES >> 20),
            "Readers of one node connect one after the other, ask where %d outputs lie, and keep their connections for five seconds, as reducers do. One that is told to come later waits for half a second, then for twice as long each time. The node takes %,d connections."
                .formatted(CrowdNode.OUTPUTS, ConnectionLimits.DEFAULT.maxConnections())),
        plots);
  }

  private TextTable readerTable() {
    TextTable table =
        new TextTable(
            List.of(
                "nodes",
                "located in",
                "heap a run",
                "runs read at once",
                "read with",
                "open files",
                "threads"));
    byNodes.forEach(
        (count, took) ->
            table.add(
                List.of(
                    "%,d".formatted(count),
                    show(took, each -> each.locatingMs() / 1e3, "%.2f s"::formatted),
                    show(took, ManyNodes.Took::heapBytes, "%.0f B"::formatted),
                    "%,d".formatted(took.get(0).merged()),
                    show(took, ManyNodes.Took::megabytesPerSecond, "%.0f MB/s"::formatted),
                    show(took, ManyNodes.Took::openFiles, "%.0f"::formatted),
                    show(took, ManyNodes.Took::threads, "%.0f"::formatted))));
    return table;
  }

  private TextTable nodeTable() {
    TextTable table =
        new TextTable(List.of("readers", "all have their answer in", "told to come later"));
    byReaders.forEach(
        (count, took) ->
            table.add(
                List.of(
                    "%,d".formatted(count),
                    show(took, each -> each.ms() / 1e3, "%.2f s"::formatted),
                    show(took, ManyReaders.Took::refused, "%.0f"::formatted))));
    return table;
  }

  private static <T> String show(
      List<T> took, ToDoubleFunction<T> figure, DoubleFunction<String> format) {
    return spread(took, figure).show(format);
  }

  private static <T> Spread spread(List<T> took, ToDoubleFunction<T> figure) {
    return Spread.of(took.stream().map(figure::applyAsDouble).toList());
  }

  private static <T> List<LinePlot.Point> points(
      Map<Integer, List<T>> all, ToDoubleFunction<T> figure) {
    List<LinePlot.Point> points = new ArrayList<>();
    all.forEach((count, took) -> points.add(LinePlot.Point.of(count, spread(took, figure))));
    return points;
  }
}
