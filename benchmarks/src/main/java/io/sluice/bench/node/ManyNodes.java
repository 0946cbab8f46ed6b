package io.sluice.bench.node;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.PartitionRange;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One reader that locates the outputs of many nodes and then reads one run of each of as many nodes
 * as it has windows, a window of each in turn, as a merge does.
 */
final class ManyNodes {
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
