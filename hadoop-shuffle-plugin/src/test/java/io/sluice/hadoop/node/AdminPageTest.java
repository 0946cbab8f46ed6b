package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.segment.ProcessUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that free what a NodeManager leaves, against where its service leaves it. */
class AdminPageTest {
  private static final Path PAGE = Path.of("..", "docs", "admin.md");

  /** As measured; the page says so. */
  private static final int KIB_OF_A_CONNECTION = 80;

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
        place.toString().replace("-" + ProcessUser.name() + "-", "-yarn-"),
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

  /** What a service takes at most, on a cluster of any size. */
  @ParameterizedTest
  @CsvSource({
    "32768, '32,768 and more', ' (`sluice.service.max-connections`)'",
    "4096, '4,096', ''"
  })
  void theBoundOfAServicesThreadsIsThatOfItsLimits(long openFiles, String files, String setting)
      throws IOException {
    ConnectionLimits limits = ConnectionLimits.DEFAULT.within(openFiles, 1);
    int threads = 3 * (limits.maxConnections() + limits.maxUnproved());
    String row =
        String.format(
            Locale.ROOT,
            "| %s | %,d%s | %,d | %d MiB |",
            files,
            limits.maxConnections(),
            setting,
            threads,
            threads * KIB_OF_A_CONNECTION / 1024);
    assertTrue(Files.readAllLines(PAGE).contains(row), row);
  }

  /** Who runs the command need not be the NodeManager's user. */
  @Test
  void noCommandDependsOnWhoRunsIt() throws IOException {
    for (String command : removals()) {
      assertFalse(command.contains("$USER"), command);
    }
  }
}
