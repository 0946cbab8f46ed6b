package io.sluice.jars;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.node.testing.Bundled;
import io.sluice.node.testing.JarTests;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
            Bundled.PROMETHEUS,
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

  /** With Prometheus' library under another name. */
  @Test
  @Timeout(value = DEADLINE_S, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void theNodesServiceTellsItsMetrics() throws Exception {
    ProcessBuilder builder =
        builder(
            List.of(
                "node-service",
                "--dir=" + elsewhere.resolve("service"),
                "--capacity=4m",
                "--segment-size=1m",
                "--bind=127.0.0.1",
                "--port=0",
                "--metrics-port=0"));
    Process process = builder.start();
    try (BufferedReader output = process.inputReader()) {
      String line = output.readLine();
      while (line != null && !line.startsWith("Metrics")) {
        line = output.readLine();
      }
      String port = line.substring(line.lastIndexOf(' ') + 1);
      try (InputStream page = new URL("http://127.0.0.1:" + port + "/metrics").openStream()) {
        String text = new String(page.readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(text.contains("sluice_serving 1"), text);
      }
    } finally {
      process.destroyForcibly();
    }
  }

  /** What it prints, in a directory and with an environment that have nothing of Sluice. */
  private String start(int expectedStatus, String... arguments) throws Exception {
    Path output = elsewhere.resolve("output");
    ProcessBuilder builder = builder(List.of(arguments)).redirectOutput(output.toFile());
    Process process = builder.start();
    try {
      assertTrue(
          process.waitFor(DEADLINE_S, TimeUnit.SECONDS),
          () -> "still running: " + builder.command());
      assertEquals(expectedStatus, process.exitValue(), () -> read(output));
      return read(output);
    } finally {
      process.destroyForcibly();
    }
  }

  private ProcessBuilder builder(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", System.getProperty("sluice.jar")));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(elsewhere.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().clear();
    return builder;
  }

  private static String read(Path output) {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
