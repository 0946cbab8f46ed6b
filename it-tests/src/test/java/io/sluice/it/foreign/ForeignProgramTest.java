package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ForeignProgramTest {
  private static final Workspace WORKSPACE = Workspace.find();
  private static final Path SPARK = WORKSPACE.root().resolve("it-tests/foreign/spark");

  @Test
  void everyDirectoryIsAProgram() throws IOException {
    try (Stream<Path> found = Files.list(WORKSPACE.root().resolve("it-tests/foreign"))) {
      Set<String> directories =
          found
              .filter(Files::isDirectory)
              .map(path -> path.getFileName().toString())
              .collect(Collectors.toSet());
      assertEquals(
          Stream.of(ForeignProgram.values())
              .map(ForeignProgram::directoryName)
              .collect(Collectors.toSet()),
          directories);
    }
  }

  @Test
  void everyPackageOfPythonIsPinned() throws IOException {
    for (String line : Files.readAllLines(SPARK.resolve("requirements"))) {
      assertTrue(line.matches("[a-z0-9-]+==[0-9.a-z]+"), line);
    }
  }

  @Test
  void everyProgramForSparkIsThere() {
    List<Path> missing =
        Stream.of(ForeignProgram.values())
            .filter(ForeignProgram::isOfSpark)
            .map(
                program ->
                    program.isOfPython()
                        ? program.pythonFile(WORKSPACE)
                        : SPARK.resolve("src/" + program.sparkClass().replace('.', '/') + ".java"))
            .filter(file -> !Files.exists(file))
            .toList();
    assertEquals(List.of(), missing);
  }

  @Test
  void everyJarIsPinned() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (ForeignProgram program : ForeignProgram.values()) {
      if (!program.hasJars()) {
        continue;
      }
      for (String line : Files.readAllLines(program.directory(WORKSPACE).resolve("jars"))) {
        if (!line.matches("[0-9a-f]{64} {2}[\\w.-]+(:[\\w.-]+){2,3}")) {
          wrong.add(program + ": " + line);
        }
      }
    }
    assertEquals(List.of(), wrong);
  }
}
