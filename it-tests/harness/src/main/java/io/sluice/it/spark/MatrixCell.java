package io.sluice.it.spark;

import java.util.List;

/**
 * How Sluice did with one release of Spark on one JDK.
 *
 * @param spark the release
 * @param java the JDK's version
 * @param workloads that ran both ways
 * @param remoteBytesServed out of pools, to other executors
 * @param stockProblem why stock Spark itself does not run the workloads there; empty if it does
 * @param problems what was wrong through Sluice
 */
public record MatrixCell(
    String spark,
    String java,
    int workloads,
    long remoteBytesServed,
    String stockProblem,
    List<String> problems) {

  int javaFeature() {
    return Runtime.Version.parse(java).feature();
  }

  /** Whether Sluice did what stock does. */
  public boolean passed() {
    return problems.isEmpty();
  }

  /** For people. */
  String text() {
    if (!stockProblem.isEmpty()) {
      return "stock Spark does not run";
    }
    return passed() ? workloads + " workloads as stock" : "**fails**";
  }
}
