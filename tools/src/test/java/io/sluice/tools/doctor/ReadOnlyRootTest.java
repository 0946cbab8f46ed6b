package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A doctor whose process can write no temporary file, as in a container with a read-only root. */
@Timeout(300)
class ReadOnlyRootTest {
  @TempDir private Path directory;

  /** Examines, and prints the findings. */
  static final class Examination {
    public static void main(String[] arguments) {
      LibraryLogs.toStandardError();
      Doctor.examine(List.of()).forEach(finding -> System.out.println(finding.toText()));
    }
  }

  @Test
  void itSaysWhatWorksAndNothingElse() throws Exception {
    Path output = directory.resolve("output");
    Path errors = directory.resolve("errors");
    String nowhere = directory.resolve("nowhere").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + nowhere,
                "-Djna.tmpdir=" + directory.resolve("output") + "/none",
                "-cp",
                System.getProperty("java.class.path"),
                Examination.class.getName())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    builder.environment().remove("JAVA_TOOL_OPTIONS"); // of which Java speaks there
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(240, TimeUnit.SECONDS));
    } finally {
      process.destroyForcibly();
    }
    String findings = Files.readString(output);
    assertEquals(0, process.exitValue(), () -> read(errors.toFile()));
    assertEquals("", Files.readString(errors));
    assertTrue(findings.contains("OK       transport tcp: works"), findings);
    assertTrue(findings.contains("PROBLEM  native calls: do not work"), findings);
    assertTrue(findings.contains("JNA temporary directory"), findings);
  }

  private static String read(File file) {
    try {
      return Files.readString(file.toPath());
    } catch (IOException e) {
      return e.toString();
    }
  }
}
