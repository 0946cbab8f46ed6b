package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A doctor whose process can write no temporary file, as in a container with a read-only root. */
@Timeout(300)
class ReadOnlyRootTest {
  /** Java tells standard error that it has seen them. */
  private static final Set<String> JAVA_OPTIONS =
      Set.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS");

  /** What a library prints that fails: a line of a stack trace, or JNA's name. */
  private static final Pattern NOISE =
      Pattern.compile(
          "\\s+at \\S+\\(.*|(Caused by: |Exception in thread ).*"
              + "|\\S+(Exception|Error)(: .*)?|.*\\bJNA\\b.*");

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
    builder.environment().keySet().removeAll(JAVA_OPTIONS);
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(240, TimeUnit.SECONDS));
    } finally {
      process.destroyForcibly();
    }
    String findings = Files.readString(output);
    assertEquals(0, process.exitValue(), () -> read(errors.toFile()));
    assertQuiet(Files.readAllLines(errors));
    assertTrue(findings.contains("OK       transport tcp: works"), findings);
    assertTrue(findings.contains("PROBLEM  native calls: do not work"), findings);
    assertTrue(findings.contains("JNA temporary directory"), findings);
  }

  /** Javas after 17 warn there of the native calls of others. */
  private static void assertQuiet(List<String> lines) {
    if (Runtime.version().feature() <= 17) {
      assertEquals(List.of(), lines);
    }
    assertEquals(List.of(), lines.stream().filter(NOISE.asMatchPredicate()).toList());
  }

  private static String read(File file) {
    try {
      return Files.readString(file.toPath());
    } catch (IOException e) {
      return e.toString();
    }
  }
}
