package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** The tools' command line, as far as it runs nothing. */
class ToolsTest {
  @Test
  void refusesArgumentsInOneLineThatNamesTheHelp() {
    assertEquals(
        "Missing required option: '--dir=DIR'; see sluice-tools node-service --help",
        refused("node-service"));
    assertEquals(
        "Unknown option: '--nonsense'; see sluice-tools doctor --help",
        refused("doctor", "--nonsense"));
    assertEquals("Missing required subcommand; see sluice-tools --help", refused());
  }

  private static String refused(String... arguments) {
    StringWriter said = new StringWriter();
    int status = Tools.commandLine().setErr(new PrintWriter(said, true)).execute(arguments);
    assertEquals(2, status, said.toString());
    return said.toString().strip();
  }
}
