package io.sluice.bench.node;

import io.sluice.bench.Bench;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.Scale;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.PoolPaths;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.Stream;

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

  /**
   * One reader that locates the outputs of many nodes and then reads one run of each of as many
   * nodes as it has windows, a window of each in turn, as a merge does.
   */
  static final class ManyNodes {
    private static final int COLLECTIONS = 3;
    private static final int LOOK_EVERY = 50; // nodes

    private final CrowdNode node;
    private int mostFiles;
    private int mostThreads;

    ManyNodes(CrowdNode node) {
      this.node = node;
    }

    /**
     * The costs, beyond those that the process had before.
     *
     * @param locatingMs until all runs were located
     * @param heapBytes of each of these
     * @param merged how many runs were read
     * @param readingMs until they were read
     * @param openFiles most at a time
     * @param threads most at a time
     */
    record Took(
        int nodes,
        double locatingMs,
        double heapBytes,
        int merged,
        double readingMs,
        double openFiles,
        double threads) {
      double megabytesPerSecond() {
        return merged * (double) CrowdNode.RUN_BYTES / 1e3 / readingMs;
      }
    }

    /** Measures it. */
    Took measure(int nodes) throws IOException {
      int filesBefore = openFiles();
      int threadsBefore = threads();
      mostFiles = 0;
      mostThreads = 0;
      long heapBefore = usedBytes();
      List<NodeRun> located = new ArrayList<>();
      try (NodeReader reader = CrowdNode.reader()) {
        try {
          long startNs = System.nanoTime();
          for (int i = 0; i < nodes; i++) {
            reader
                .locate(node.node(i), PartitionRange.one(0), CrowdNode.outputs())
                .values()
                .forEach(located::addAll);
            look(i);
          }
          double locatingMs = (System.nanoTime() - startNs) / 1e6;
          double heapBytes = (usedBytes() - heapBefore) / (double) located.size();
          List<NodeRun> merged = new ArrayList<>();
          for (int i = 0; i < Math.min(nodes, reader.windowCount()); i++) {
            merged.add(located.get(i * CrowdNode.OUTPUTS));
          }
          startNs = System.nanoTime();
          reader.prepareMerge(merged);
          read(merged);
          double readingMs = (System.nanoTime() - startNs) / 1e6;
          return new Took(
              nodes,
              locatingMs,
              heapBytes,
              merged.size(),
              readingMs,
              mostFiles - filesBefore,
              mostThreads - threadsBefore);
        } finally {
          Closer.all(located);
        }
      }
    }

    private void read(List<NodeRun> runs) throws IOException {
      byte[] window = new byte[CrowdNode.WINDOW_BYTES];
      List<RunInput> inputs = runs.stream().map(NodeRun::input).toList();
      for (int done = 0; done < CrowdNode.RUN_BYTES; done += window.length) {
        for (int i = 0; i < inputs.size(); i++) {
          for (int n = 0; n < window.length; ) {
            n += inputs.get(i).read(window, n, window.length - n);
          }
          look(i);
        }
      }
    }

    private void look(int step) throws IOException {
      if (step % LOOK_EVERY == LOOK_EVERY - 1) {
        mostFiles = Math.max(mostFiles, openFiles());
        mostThreads = Math.max(mostThreads, threads());
      }
    }

    private static int openFiles() throws IOException {
      try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
        return (int) files.count();
      }
    }

    private static int threads() {
      return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long usedBytes() {
      long least = Long.MAX_VALUE;
      for (int i = 0; i < COLLECTIONS; i++) {
        System.gc();
        least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
      }
      return least;
    }
  }

  /**
   * Many readers that ask one node for the same outputs as soon as they can, and keep their
   * connections for a while, as reducers do when a node's last map has ended. One that is refused
   * asks again later, in pauses as a reducer's.
   *
   * <p>They are one thread's, so the node has one question at a time.
   */
  static final class ManyReaders {
    private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long KEPT_NS = TimeUnit.MILLISECONDS.toNanos(RemoteClient.KEPT_IDLE_MS);

    private static final Comparator<Refused> BY_TIME =
        (one, other) ->
            Long.signum(one.againNs() - other.againNs()); // of a clock that may run over

    private final CrowdNode node;
    private final Deque<Kept> kept = new ArrayDeque<>();

    ManyReaders(CrowdNode node) {
      this.node = node;
    }

    private record Kept(RemoteClient client, long sinceNs) {}

    private record Refused(long pauseNs, long againNs) {}

    /**
     * The costs.
     *
     * @param ms until every reader had its answer
     * @param refused how often one was told to come later
     */
    record Took(int readers, double ms, double refused) {}

    /** Measures it. */
    Took measure(int readers) throws IOException {
      long startNs = System.nanoTime();
      int refusals = 0;
      Queue<Refused> later = new PriorityQueue<>(BY_TIME);
      for (int left = readers; left > 0 || !later.isEmpty(); ) {
        closeThoseKeptLongEnough();
        Refused next = due(later);
        if (next == null && left == 0) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
          continue;
        }
        if (next == null) {
          left--;
          next = new Refused(FIRST_PAUSE_NS / 2, 0);
        }
        if (!asks()) {
          refusals++;
          long pauseNs = Math.min(LONGEST_PAUSE_NS, 2 * next.pauseNs());
          later.add(new Refused(pauseNs, System.nanoTime() + pauseNs));
        }
      }
      double ms = (System.nanoTime() - startNs) / 1e6;
      for (Kept each : kept) {
        each.client().close();
      }
      kept.clear();
      return new Took(readers, ms, refusals);
    }

    private static Refused due(Queue<Refused> later) {
      Refused first = later.peek();
      return first != null && System.nanoTime() - first.againNs() >= 0 ? later.poll() : null;
    }

    private boolean asks() throws IOException {
      RemoteClient client;
      try {
        client = node.connect();
      } catch (RemoteError e) {
        if (e.code() == RemoteError.Code.BUSY) {
          return false;
        }
        throw e;
      }
      client.describe(PartitionRange.one(0), CrowdNode.outputs(), 0, PoolPaths.ELSEWHERE);
      kept.add(new Kept(client, System.nanoTime()));
      return true;
    }

    private void closeThoseKeptLongEnough() throws IOException {
      while (!kept.isEmpty() && System.nanoTime() - kept.peek().sinceNs() >= KEPT_NS) {
        kept.poll().client().close();
      }
    }
  }
}
