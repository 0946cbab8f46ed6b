package io.sluice.jars;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.node.testing.Bundled;
import io.sluice.node.testing.JarTests;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar that is started by itself: what is in it, and that it needs nothing else. */
final class ToolsJarIT extends JarTests {
  private static final long DEADLINE_S = 120;

  @TempDir private Path elsewhere;

  ToolsJarIT() {
    super(
        "io/sluice/(tools|node|rdma|spill)/.*|simplelogger.properties",
        Set.of(
            Bundled.JUCX,
            Bundled.JNA,
            Bundled.LIBFFI,
            Bundled.PICOCLI,
            Bundled.JACKSON,
            Bundled.SLF4J),
        List.of("io.sluice.tools.Tools", "io.sluice.tools.doctor.TrialProcess"));
  }

  @Test
  void namesItsCommands() throws Exception {
    String help = start(0, "--help");
    assertTrue(help.contains("doctor") && help.contains("node-service"), help);
  }

  @Test
  void itsVersionIsThatOfTheJar() throws Exception {
    String name = new File(System.getProperty("sluice.jar")).getName();
    assertEquals(
        "Sluice " + name.replaceAll("^sluice-tools-|\\.jar$", ""), start(0, "--version").strip());
  }

  @Test
  void theNodesServiceHasTheSameVersion() throws Exception {
    assertEquals(start(0, "--version"), start(0, "node-service", "--version"));
  }

  @Test
  void badUsageIsSaidByTheStatus() throws Exception {
    start(2, "diagnose");
  }

  /** Whatever native libraries say is not among it. */
  @Test
  void theDoctorsFindingsAreJsonAndNothingElse() throws Exception {
    String findings = start(0, "doctor", "--json");
    assertTrue(new ObjectMapper().readTree(findings).get("findings").size() > 3, findings);
  }

  /** What it prints, in a directory and with an environment that have nothing of Sluice. */
  private String start(int expectedStatus, String... arguments) throws Exception {
    Path output = elsewhere.resolve("output");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", System.getProperty("sluice.jar")));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(elsewhere.toFile())
            .redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().clear();
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), () -> "still running: " + command);
      assertEquals(expectedStatus, process.exitValue(), () -> read(output));
      return read(output);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String read(Path output) {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
