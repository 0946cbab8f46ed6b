package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PythonPackagesTest {
  @TempDir private Path directory;

  private String obstacle(String script) throws IOException {
    Path python = directory.resolve("python");
    Files.writeString(python, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(python, PosixFilePermissions.fromString("rwx------"));
    return PythonPackages.obstacle(python.toString())
        .map(why -> why.replace(python.toString(), "python"))
        .orElse("");
  }

  @Test
  void aPythonThatIsNewEnoughAndHasPipIsNoObstacle() throws IOException {
    assertEquals("", obstacle("echo 3.11"));
    assertEquals("", obstacle("echo 4.0"));
  }

  @Test
  void aPythonThatIsTooOldIsNamedWithTheOneThatIsNeeded() throws IOException {
    assertEquals("python is Python 3.9, and PySpark's programs need 3.11", obstacle("echo 3.9"));
    assertEquals(
        "python is Python 2.7, and PySpark's programs need 3.11", obstacle("echo 2.7; exit 1"));
  }

  @Test
  void aPythonWithoutPipIsNamedWithThePackageThatHasIt() throws IOException {
    assertEquals(
        "python has no pip or no venv (Debian: apt-get install python3-venv)",
        obstacle("echo 3.13; exit 1"));
  }

  @Test
  void noPythonIsAnObstacle() {
    assertEquals(
        Optional.of("there is no program no-such-python"),
        PythonPackages.obstacle("no-such-python"));
  }
}
