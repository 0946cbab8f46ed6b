package io.sluice.rdma.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.rdma.transport.ucx.UcpLibrary.UcxVersions;
import io.sluice.rdma.transport.ucx.UcxProvider.UcxAvailability.UcxSignals;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;

/** What UCX says of versions, in a process whose environment says nothing of its logs. */
class UcxVersionsTest {
  private static final long LIMIT_S = 60;
  private static final String WARNING = "incompatible";

  @TempDir private Path directory;

  @Test
  void theNumberIsThatOfTheBuild() throws IOException {
    Properties jucx = new Properties();
    try (InputStream properties =
        UcpContext.class.getResourceAsStream("/META-INF/maven/org.openucx/jucx/pom.properties")) {
      jucx.load(properties);
    }
    assertEquals(jucx.getProperty("version"), UcxVersions.JUCX);
  }

  @Test
  void anOlderLibraryOfTheSystemsIsNoWarningAndWarningsStayOn() throws Exception {
    String output = run("quiet");
    assertFalse(output.contains(WARNING), output);
    assertTrue(output.endsWith("WARN\n"), output);
    assertTrue(output.contains("jucx " + UcxVersions.JUCX + " on libucx 1."), output);
  }

  /** Otherwise the test above would prove nothing. */
  @Test
  void ucxWouldWarn() throws Exception {
    needsOlderUcx();
    assertTrue(run("bare").contains(WARNING));
  }

  @Test
  void whoSetsUcxsLevelHearsIt() throws Exception {
    needsOlderUcx();
    assertTrue(run("quiet", "UCX_LOG_LEVEL", "warn").contains(WARNING));
  }

  private static void needsOlderUcx() {
    needsUcx();
    assumeTrue(UcxVersions.isOlder(), () -> "libucx is not older: " + UcxVersions.describe());
  }

  private static void needsUcx() {
    assumeTrue(
        UcxProvider.overTcp().isAvailable(),
        () -> UcxProvider.overTcp().unavailabilityCause().orElseThrow());
  }

  /** With one variable of UCX's, or none. */
  private String run(String mode, String... variable) throws Exception {
    needsUcx();
    Path out = directory.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Maker.class.getName(),
                mode)
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("UCX_"));
    if (variable.length > 0) {
      builder.environment().put(variable[0], variable[1]);
    }
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), "it hangs");
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(out, StandardCharsets.UTF_8);
    assertEquals(0, process.exitValue(), output);
    return output;
  }

  /** The process: makes two contexts, then says what UCX would still say. */
  public static final class Maker {
    private Maker() {}

    public static void main(String[] args) {
      if (args[0].equals("bare")) {
        UcxSignals.leaveToJvm().ifPresent(System.out::println);
        new UcpContext(new UcpParams().requestRmaFeature()).close();
        return;
      }
      UcxProvider.overTcp().unavailabilityCause().ifPresent(System.out::println);
      UcxSettings.TCP.newContext().close();
      System.out.println(UcxVersions.level().orElse("not told"));
    }
  }
}
