package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The commands that free what a NodeManager leaves, against where its service leaves it. */
class InstallPageTest {
  private static final Path PAGE = Path.of("..", "docs", "install.md");

  private static List<String> removals() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .map(String::strip)
        .filter(line -> line.startsWith("rm -r"))
        .toList();
  }

  private static String target(String command) {
    return command.replaceFirst("rm -rf? ", "").replaceFirst(" .*", "");
  }

  @Test
  void theDefaultPlaceIsFreed() throws IOException {
    Path place = NodeManagerPlan.directory(new Configuration(false));
    assertEquals(
        place.toString().replace("-" + Owner.nameOfThisProcess() + "-", "-yarn-"),
        target(removals().get(0)));
  }

  /** A device has no room to be freed, and no pool can be on one that is not there any more. */
  @Test
  void noDeviceIsRemoved() throws IOException {
    for (String command : removals()) {
      assertFalse(
          target(command).matches("/dev/(?!shm/sluice-).*")
              || command.contains("or sluice.pool.dir"),
          command);
    }
  }

  /** Who runs the command need not be the NodeManager's user. */
  @Test
  void noCommandDependsOnWhoRunsIt() throws IOException {
    for (String command : removals()) {
      assertFalse(command.contains("$USER"), command);
    }
  }
}
