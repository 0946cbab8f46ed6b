package io.sluice.bench.model;

import java.util.function.IntToLongFunction;

/**
 * What our own shuffle takes of each node, by the number of nodes: counted, not measured. The most
 * that there can be at a time, with every reduce of a job at work with every node at once; a
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

  /** Those of all nodes. */
  long controlMessagesOfJob(int nodes) {
    return controlMessages(nodes) * nodes;
  }

  /** Registered memory of a node, at most: the service's, and windows of its reduces. */
  long registeredBytes(int nodes) {
    return limits.nodeBytes() + (nodes == 1 ? 0 : load.reduces() * limits.reduceBytes());
  }

  /** What it would be, with the smallest window for every run and no merging in rounds. */
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
