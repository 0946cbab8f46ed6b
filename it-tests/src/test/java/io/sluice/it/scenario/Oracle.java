package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.WebHdfs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Says whether a job wrote what stock wrote for the same input: part by part, sorted, complete. */
public final class Oracle {
  private Oracle() {}

  /** Fails unless both output directories have the same parts with the same records in order. */
  public static void assertSameOutput(PseudoCluster cluster, String expected, String actual) {
    WebHdfs fileSystem = cluster.fileSystem();
    List<String> expectedParts = fileSystem.partFiles(expected);
    List<String> actualParts = fileSystem.partFiles(actual);
    assertFalse(expectedParts.isEmpty(), "no part files in " + expected);
    assertEquals(numbers(expectedParts), numbers(actualParts), "part files of " + actual);
    for (int i = 0; i < expectedParts.size(); i++) {
      Optional<String> difference =
          OutputComparison.difference(
              lines(fileSystem, expectedParts.get(i)), lines(fileSystem, actualParts.get(i)));
      assertEquals(
          Optional.empty(), difference, actualParts.get(i) + " against " + expectedParts.get(i));
    }
  }

  /** The APIs name their parts differently: part-r-00000 and part-00000; programs, as they like. */
  private static List<String> numbers(List<String> parts) {
    return parts.stream()
        .map(part -> part.substring(part.lastIndexOf('/') + 1))
        .map(name -> name.substring(name.lastIndexOf('-') + 1))
        .toList();
  }

  /** All that a job wrote, part by part. */
  static List<String> lines(PseudoCluster cluster, String output) {
    WebHdfs fileSystem = cluster.fileSystem();
    return fileSystem.partFiles(output).stream()
        .flatMap(part -> lines(fileSystem, part).stream())
        .toList();
  }

  private static List<String> lines(WebHdfs fileSystem, String part) {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(fileSystem.open(part), StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + part, e);
    }
  }
}
