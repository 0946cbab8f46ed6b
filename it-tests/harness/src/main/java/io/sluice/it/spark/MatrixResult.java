package io.sluice.it.spark;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.tools.text.TextTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * With which releases of Spark, on which JDKs, Sluice was run.
 *
 * @param cells one for each of both
 */
public record MatrixResult(List<MatrixCell> cells) {
  /** Of the result's file. */
  public static final String NAME = "spark-matrix";

  /** Reads what {@code ./sluice matrix spark} has written. */
  public static MatrixResult read(Path json) {
    try {
      return new ObjectMapper().readValue(json.toFile(), MatrixResult.class);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + json, e);
    }
  }

  /** Releases down, JDKs across. */
  public TextTable table() {
    List<Integer> jdks = cells.stream().map(MatrixCell::javaFeature).distinct().sorted().toList();
    List<String> header = new ArrayList<>(List.of("Spark"));
    jdks.forEach(jdk -> header.add("JDK " + jdk));
    TextTable table = new TextTable(header);
    for (String spark : cells.stream().map(MatrixCell::spark).distinct().toList()) {
      List<String> row = new ArrayList<>(List.of(spark));
      for (int jdk : jdks) {
        row.add(
            cells.stream()
                .filter(cell -> cell.spark().equals(spark) && cell.javaFeature() == jdk)
                .map(MatrixCell::text)
                .findFirst()
                .orElse("not run"));
      }
      table.add(row);
    }
    return table;
  }

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
}
