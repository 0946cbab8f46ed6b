package io.sluice.bench.node;

import io.sluice.bench.Bench;
import io.sluice.bench.Figure;
import io.sluice.bench.LinePlot;
import io.sluice.bench.Scale;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.rdma.transport.ConnectionLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The load of a large cluster on one process: a reader of thousands of nodes, and a node that
 * thousands of readers ask. All nodes are one service, at many addresses of this host.
 *
 * <p>Not thread-safe.
 *
 * @param workspace has the service's jar
 * @param console says what runs
 * @param nodes how many the reader reads from, one number after the other
 * @param readers how many ask the node, likewise
 */
public record CrowdBench(
    Workspace workspace, Console console, List<Integer> nodes, List<Integer> readers) {
  private static final List<Figure<ManyNodes.Took>> HELD =
      List.of(
          new Figure<>("open files", ManyNodes.Took::openFiles, "%.0f"::formatted),
          new Figure<>("threads", ManyNodes.Took::threads, "%.0f"::formatted));
  private static final List<Figure<ManyNodes.Took>> OF_READER =
      List.of(
          Figure.fineSeconds("located in", ManyNodes.Took::locatingMs),
          new Figure<>("heap a run", ManyNodes.Took::heapBytes, "%.0f B"::formatted),
          new Figure<>("runs read at once", ManyNodes.Took::merged, "%,.0f"::formatted),
          new Figure<>("read with", ManyNodes.Took::megabytesPerSecond, "%.0f MB/s"::formatted),
          HELD.get(0),
          HELD.get(1));
  private static final List<Figure<ManyReaders.Took>> OF_NODE =
      List.of(
          Figure.fineSeconds("all have their answer in", ManyReaders.Took::ms),
          new Figure<>("told to come later", ManyReaders.Took::refused, "%.0f"::formatted));
  private static final Figure<ManyReaders.Took> SECONDS =
      new Figure<>("seconds", took -> took.ms() / 1e3, "%.2f"::formatted);

  /** Runs a round of the smallest numbers that is not counted, and then so many. */
  public void run(int rounds, ResultFiles files) {
    Path directory = null;
    try {
      directory = Files.createTempDirectory("sluice-crowd");
      try (CrowdNode node = CrowdNode.start(workspace, directory)) {
        run(rounds, files, node);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a reader failed", e);
    } finally {
      if (directory != null) {
        Workspace.delete(directory);
      }
    }
  }

  private interface Measurement<T> {
    T measure(int count) throws IOException;
  }

  private static <T> IntFunction<T> unchecked(Measurement<T> measurement) {
    return count -> {
      try {
        return measurement.measure(count);
      } catch (IOException e) {
        throw new UncheckedIOException("with " + count, e);
      }
    };
  }

  private void run(int rounds, ResultFiles files, CrowdNode node) {
    Scale<ManyNodes.Took> byNodes =
        new Scale<>(
            nodes, "Reader of %,d nodes", unchecked(count -> new ManyNodes(node).measure(count)));
    Scale<ManyReaders.Took> byReaders =
        new Scale<>(
            readers, "%,d readers", unchecked(count -> new ManyReaders(node).measure(count)));
    byNodes.warmUp(console);
    byReaders.warmUp(console);
    Bench.of("bench-crowd", "A reader of many nodes, and a node of many readers")
        .roundCount()
        .data("nodes", byNodes.measured())
        .data("readers", byReaders.measured())
        .table("One reader of many nodes:", () -> byNodes.table("nodes", OF_READER))
        .table("One node of many readers:", () -> byReaders.table("readers", OF_NODE))
        .notes(
            "A reader locates %d runs at each node, one node after the other. Then it reads one run of %d KiB of each of as many nodes as it has windows of %d KiB (%d MiB in all), a window of each in turn. It holds what its process has more of than before."
                .formatted(
                    CrowdNode.OUTPUTS,
                    CrowdNode.RUN_BYTES >> 10,
                    CrowdNode.WINDOW_BYTES >> 10,
                    CrowdNode.WINDOWS_BYTES >> 20),
            "Readers of one node connect one after the other, ask where %d outputs lie, and keep their connections for five seconds, as reducers do. One that is told to come later waits for half a second, then for twice as long each time. The node takes %,d connections."
                .formatted(CrowdNode.OUTPUTS, ConnectionLimits.DEFAULT.maxConnections()))
        .plot(
            "-reader",
            title ->
                new LinePlot(
                    "What a reader holds at most",
                    "nodes",
                    "open files; threads",
                    byNodes.lines(HELD)))
        .plot(
            "-node",
            title ->
                new LinePlot(
                    "Until every reader of one node has its answer",
                    "readers",
                    "seconds",
                    byReaders.lines(List.of(SECONDS))))
        .run(
            rounds,
            round -> {
              byNodes.round(console);
              byReaders.round(console);
            },
            console,
            files);
  }
}
