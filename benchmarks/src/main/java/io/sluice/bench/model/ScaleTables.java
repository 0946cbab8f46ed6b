package io.sluice.bench.model;

import io.sluice.bench.Plot.LinePlot;
import io.sluice.bench.model.ShuffleLimits.ShuffleLoad;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.stream.Stream;

/** {@link ShuffleScale} as tables and curves, each with its limit. Not thread-safe. */
final class ScaleTables {
  private static final List<Integer> NODES =
      List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, ShuffleScale.MOST_NODES);
  private static final List<Integer> SHOWN = List.of(1, 10, 100, 1_000, ShuffleScale.MOST_NODES);

  private final ShuffleScale scale;
  private final List<Curve> connections;
  private final List<Curve> messages;
  private final List<Curve> runs;
  private final List<Curve> registered;

  /** Something that grows, and what bounds it; no limit is null. */
  private record Curve(String name, IntToLongFunction needed, Limit limit) {}

  private record Limit(String name, IntToLongFunction value) {}

  ScaleTables(ShuffleScale scale) {
    this.scale = scale;
    ShuffleLimits limits = scale.limits();
    Limit connections = new Limit(limits.connectionsName(), n -> limits.connections());
    Limit ofExecutor =
        new Limit(limits.executorConnectionsName(), n -> limits.executorConnections());
    int reduces = scale.load().reduces();
    long mostBytes = limits.nodeBytes() + reduces * limits.reduceBytes();
    Limit memory =
        new Limit(
            "%s and %d times %s".formatted(limits.nodeName(), reduces, limits.reduceName()),
            n -> mostBytes);
    Limit windows = new Limit("windows of " + limits.reduceName(), scale::windows);
    this.connections =
        List.of(
            new Curve("control connections to a node", scale::controlConnections, connections),
            new Curve("data connections to a node", scale::dataConnections, connections),
            new Curve(
                "data connections to an executor of Spark",
                scale::executorConnections,
                ofExecutor));
    this.messages =
        List.of(
            new Curve("control messages of a node, for a job", scale::controlMessages, null),
            new Curve("control messages of a job", scale::controlMessagesOfJob, null));
    this.runs = List.of(new Curve("runs that a reduce merges", scale::runs, windows));
    this.registered =
        List.of(
            new Curve("registered bytes of a node", scale::registeredBytes, memory),
            new Curve(
                "the same with a window for each run", scale::bytesOfAWindowForEachRun, memory));
  }

  /** Each curve at some numbers of nodes, with the limit and where it is met. */
  TextTable table() {
    List<String> header = new ArrayList<>(List.of("by the number of nodes"));
    SHOWN.forEach(nodes -> header.add("%,d".formatted(nodes)));
    header.addAll(List.of("limit", "kept up to"));
    TextTable table = new TextTable(header);
    List<Curve> all =
        Stream.of(connections, messages, runs, registered).flatMap(List::stream).toList();
    for (Curve curve : all) {
      List<String> row = new ArrayList<>(List.of(curve.name()));
      SHOWN.forEach(nodes -> row.add("%,d".formatted(curve.needed().applyAsLong(nodes))));
      row.add(curve.limit() == null ? "none is set" : curve.limit().name());
      row.add(keptUpTo(curve));
      table.add(row);
    }
    return table;
  }

  private static String keptUpTo(Curve curve) {
    if (curve.limit() == null) {
      return "–";
    }
    int most = ShuffleScale.mostNodes(curve.needed(), curve.limit().value());
    return most == ShuffleScale.MOST_NODES
        ? "%,d and more".formatted(most)
        : "%,d nodes".formatted(most);
  }

  /** The assumptions of the counts. */
  String assumptions() {
    return ("Counted, not measured: a job with outputs of %d maps and %d reduces at a time on every"
            + " node, or one executor of Spark on every node. All settings are as they are where"
            + " nobody sets them.")
        .formatted(scale.load().maps(), scale.load().reduces());
  }

  LinePlot connections() {
    return plot("Connections that a node serves at most", "connections", connections);
  }

  LinePlot messages() {
    return plot("Control messages", "messages", messages);
  }

  LinePlot runs() {
    return plot("Runs and windows of a reduce", "number", runs);
  }

  LinePlot registered() {
    return plot("Registered memory of a node at most", "bytes", registered);
  }

  private static LinePlot plot(String title, String unit, List<Curve> curves) {
    Map<String, List<LinePlot.Point>> series = new LinkedHashMap<>();
    for (Curve curve : curves) {
      series.put(curve.name(), points(curve.needed()));
      if (curve.limit() != null) {
        series.put("limit: " + curve.limit().name(), points(curve.limit().value()));
      }
    }
    return new LinePlot(title, "nodes", unit, series, true);
  }

  /** A logarithmic axis has no zero. */
  private static List<LinePlot.Point> points(IntToLongFunction of) {
    return NODES.stream()
        .filter(nodes -> of.applyAsLong(nodes) > 0)
        .map(nodes -> new LinePlot.Point(nodes, of.applyAsLong(nodes), 0))
        .toList();
  }

  /**
   * The needs of our own shuffle on each node, by the number of nodes: counted, not measured. The
   * most that there can be at a time, with every reduce of a job at work with every node at once; a
   * connection that is idle ends after some seconds, so that there are mostly fewer.
   *
   * <p>Thread contract: immutable.
   *
   * @param load of each node
   * @param limits of each node
   */
  record ShuffleScale(ShuffleLoad load, ShuffleLimits limits) {
    static final int MOST_NODES = 10_000;

    /** CHALLENGE, PROOF and its answer; see {@code io.sluice.node.remote.RemoteProtocol}. */
    private static final int GREETING_MESSAGES = 3;

    /** DESCRIBE or ADMIT, and its answer. */
    private static final int QUESTION_MESSAGES = 2;

    /** Control connections to a node's service: one of each reduce, its own node's among them. */
    long controlConnections(int nodes) {
      return (long) load.reduces() * nodes;
    }

    /** Data connections over one transport: what lies on a reduce's own node is mapped. */
    long dataConnections(int nodes) {
      return (long) load.reduces() * (nodes - 1);
    }

    /** Data connections to an executor of Spark, one on each node: its tasks share them. */
    long executorConnections(int nodes) {
      return nodes - 1L;
    }

    /** Control messages that a node's service receives and sends for a job, at least. */
    long controlMessages(int nodes) {
      long reduces = (long) load.reduces() * nodes;
      long questions = (load.maps() + limits.mapsOfQuestion() - 1) / limits.mapsOfQuestion();
      return reduces * (GREETING_MESSAGES + QUESTION_MESSAGES * questions)
          + QUESTION_MESSAGES * dataConnections(nodes);
    }

    /** The control messages of all nodes. */
    long controlMessagesOfJob(int nodes) {
      return controlMessages(nodes) * nodes;
    }

    /** Registered memory of a node, at most: the service's, and windows of its reduces. */
    long registeredBytes(int nodes) {
      return limits.nodeBytes() + (nodes == 1 ? 0 : load.reduces() * limits.reduceBytes());
    }

    /** The same with the smallest window for every run and no merging in rounds. */
    long bytesOfAWindowForEachRun(int nodes) {
      return limits.nodeBytes() + load.reduces() * runs(nodes) * limits.windowBytes();
    }

    /** Runs that a reduce merges, if each map wrote one for it. */
    long runs(int nodes) {
      return (long) load.maps() * nodes;
    }

    /** Windows to read them through. */
    long windows(int nodes) {
      return limits.windows().applyAsInt(load.maps() * nodes);
    }

    /** The most nodes with which something that grows is within a limit. */
    static int mostNodes(IntToLongFunction needed, IntToLongFunction limit) {
      int most = 0;
      for (int nodes = 1; nodes <= MOST_NODES; nodes++) {
        if (needed.applyAsLong(nodes) > limit.applyAsLong(nodes)) {
          break;
        }
        most = nodes;
      }
      return most;
    }
  }
}
