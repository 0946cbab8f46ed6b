package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.ConnectionLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of a service's threads and memory, against its limits. */
class ConnectionsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "connections.md");

  /** As measured; the page says so. */
  private static final int KIB_OF_A_CONNECTION = 80;

  /** What a service takes at most, on a cluster of any size. */
  @ParameterizedTest
  @CsvSource({
    "32768, '32,768 and more', ' (`sluice.service.max-connections`)'",
    "4096, '4,096', ''"
  })
  void theBoundOfAServicesThreadsIsThatOfItsLimits(long openFiles, String files, String setting)
      throws IOException {
    ConnectionLimits limits = ConnectionLimits.DEFAULT.within(openFiles, 1);
    int threads = 3 * (limits.maxConnections() + limits.maxUnauthenticated());
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
}
