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
}
