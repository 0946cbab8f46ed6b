package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.rdma.transport.TransportNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Each transport has a counter of the bytes that reduces read over it. */
class ReadCountersTest {
  private static final Path DOCS = Path.of("..", "docs");

  private static String counterOf(String transport) {
    return SluiceCounter.valueOf("READ_BYTES_" + transport.toUpperCase(Locale.ROOT)).name();
  }

  @Test
  void pagesNameTheCounterOfEachTransport() throws IOException {
    for (String transport : TransportNames.BEST_FIRST) {
      String name = counterOf(transport);
      for (String page : List.of("counters.md", "is-it-working.md")) {
        assertTrue(
            Files.readString(DOCS.resolve(page)).contains("`" + name + "`"), page + " " + name);
      }
    }
  }

  /** The metrics of a node do not count what a NIC reads. */
  @Test
  void theDashboardNamesThoseOfRdma() throws IOException {
    String dashboard = Files.readString(DOCS.resolve("grafana/sluice-node.json"));
    for (String transport : TransportNames.BEST_FIRST) {
      if (!transport.equals(TransportNames.TCP)) {
        String name = counterOf(transport);
        assertTrue(dashboard.contains(name), name);
      }
    }
  }
}
