package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DoctorCommandTest {
  @TempDir private Path directory;

  private static int run(String... arguments) {
    return new CommandLine(new DoctorCommand()).execute(arguments);
  }

  @Test
  void filesThatLackSluiceAreBroken() throws IOException {
    Files.writeString(directory.resolve("yarn-site.xml"), "<configuration/>");
    assertEquals(1, run("--hadoop-conf", directory.toString()));
    assertEquals(1, run("--spark-conf", directory.toString(), "--json"));
  }

  @Test
  void filesAndAnotherHostAreNotLookedAtAtOnce() {
    assertEquals(2, run("--hadoop-conf", directory.toString(), "--probe", "localhost"));
    assertEquals(2, run("--spark-conf", directory.resolve("no such").toString()));
  }
}
