package io.sluice.spill.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.spill.segment.PrivateDirectory.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is made has the same mode in processes that forbid nothing and those that forbid all. */
class UmaskTest {
  @TempDir private Path base;

  /** Makes a directory and files of each kind in a process with a umask of its own. */
  public static final class Maker {
    private Maker() {}

    /** Below the directory that is named. */
    public static void main(String[] args) throws IOException {
      Path parent = Path.of(args[0], "parent");
      ProcessDirectory home = ProcessDirectory.create(parent, "kind", "name", "test.dir");
      PrivateFile.replace(home.directory().resolve("file"), "old");
      PrivateFile.replace(home.directory().resolve("file"), "new");
      PrivateDirectory.prepare(
          home.directory().resolve("above/private"), PoolVisibility.PRIVATE, "take another");
      PrivateDirectory.prepareToPass(
          home.directory().resolve("above2/passed"), PoolVisibility.PRIVATE, "take another");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"000", "077"})
  @Timeout(300)
  void modesAreNotTheUmasks(String umask) throws Exception {
    Process maker =
        new ProcessBuilder(
                "sh",
                "-c",
                "umask " + umask + "; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Maker.class.getName(),
                base.toString())
            .inheritIO()
            .start();
    assertEquals(0, maker.waitFor());
    Path parent = base.resolve("parent");
    TreeMap<String, String> modes = new TreeMap<>();
    try (Stream<Path> made = Files.walk(parent)) {
      for (Path each : made.toList()) {
        String name = each.equals(parent) ? "parent" : each.getFileName().toString();
        if (!name.matches(".*\\.(lock|guard).*")) { // which LockFile makes
          modes.put(name, PosixFilePermissions.toString(Files.getPosixFilePermissions(each)));
        }
      }
    }
    TreeMap<String, String> expected = new TreeMap<>();
    expected.put("parent", "rwxr-xr-x");
    expected.put("kind-" + Owner.nameOfThisProcess(), "rwx------");
    expected.put("name", "rwx------");
    expected.put("file", "rw-------");
    expected.put("above", "rwx------");
    expected.put("private", "rwx------");
    expected.put("above2", "rwx--x--x");
    expected.put("passed", "rwx--x--x");
    assertEquals(expected, modes);
  }
}
