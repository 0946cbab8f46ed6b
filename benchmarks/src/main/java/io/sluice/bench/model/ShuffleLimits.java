package io.sluice.bench.model;

import java.util.function.IntUnaryOperator;

/**
 * The limits of our shuffle, by the defaults of the settings.
 *
 * @param connections most of a kind that a node serves
 * @param connectionsName its setting
 * @param executorConnections most that an executor of Spark serves
 * @param executorConnectionsName its setting
 * @param mapsOfQuestion most outputs that a reduce asks one node for at once
 * @param nodeBytes all that shuffling takes of a node, and at most registers
 * @param nodeName its setting
 * @param reduceBytes what a reduce registers at most
 * @param reduceName its setting
 * @param windowBytes what the smallest window of a reduce takes
 * @param windows how many windows a reduce has, by the number of the job's maps
 */
public record ShuffleLimits(
    int connections,
    String connectionsName,
    int executorConnections,
    String executorConnectionsName,
    int mapsOfQuestion,
    long nodeBytes,
    String nodeName,
    long reduceBytes,
    String reduceName,
    int windowBytes,
    IntUnaryOperator windows) {

  /**
   * A job on each of its nodes; more nodes have more of it.
   *
   * @param maps outputs of maps that a node keeps
   * @param reduces that run on a node at a time, all of the job
   */
  public record ShuffleLoad(int maps, int reduces) {}
}
