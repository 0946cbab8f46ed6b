package io.sluice.hadoop.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.conf.NodeSettings.ControlPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ControlPortsTest {
  private static final int DEFAULT_SHUFFLE_PORT = 13_562;
  private static final int FIRST_EPHEMERAL_PORT = 32_768;

  private static final int DEFAULT_OFFSET = NodeSettings.PORT_OFFSET.get(name -> null);

  @Test
  void areTheFirstOfThreeGroups() throws IOException {
    assertEquals(List.of(17_562, 18_562, 19_562), ControlPorts.of(DEFAULT_SHUFFLE_PORT, 4_000));
  }

  /** The page lists what other programs of a Hadoop cluster listen at. */
  @Test
  void byDefaultAreNobodyElses() throws IOException {
    List<Integer> known =
        Pattern.compile("^\\| [^|]+ \\| ([0-9, –]+) \\|$", Pattern.MULTILINE)
            .matcher(Files.readString(Path.of("..", "docs", "ports.md")))
            .results()
            .map(row -> row.group(1))
            .flatMap(ControlPortsTest::portsIn)
            .toList();
    assertTrue(known.containsAll(List.of(13_562, 13_563, 7_337, 15_551, 16_020, 9_083, 9_092)));
    for (int control : ControlPorts.of(DEFAULT_SHUFFLE_PORT, DEFAULT_OFFSET)) {
      for (int port = control; port < control + 7; port++) {
        assertTrue(!known.contains(port) && port < FIRST_EPHEMERAL_PORT, "port " + port);
      }
    }
  }

  /** As the class and the page on ports say. */
  @Test
  void thoseOfTwoNodeManagersMeetWhereTheirHandlersAreNear() throws IOException {
    Set<Integer> first = portsOf(DEFAULT_SHUFFLE_PORT);
    for (int apart = 1; apart <= 3_000; apart++) {
      boolean near = apart < 7 || Math.abs(apart - 1_000) < 7 || Math.abs(apart - 2_000) < 7;
      Set<Integer> second = portsOf(DEFAULT_SHUFFLE_PORT + apart);
      assertEquals(near, !Collections.disjoint(first, second), apart + " apart");
    }
  }

  private static Set<Integer> portsOf(int shufflePort) throws IOException {
    return ControlPorts.of(shufflePort, DEFAULT_OFFSET).stream()
        .flatMap(control -> IntStream.range(control, control + 7).boxed())
        .collect(Collectors.toSet());
  }

  private static Stream<Integer> portsIn(String cell) {
    return Pattern.compile("([0-9]+)(?:–([0-9]+))?")
        .matcher(cell)
        .results()
        .flatMap(ControlPortsTest::range);
  }

  private static Stream<Integer> range(MatchResult range) {
    int first = Integer.parseInt(range.group(1));
    int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
    return IntStream.rangeClosed(first, last).boxed();
  }

  @Test
  void areFewerNearTheLastPort() throws IOException {
    assertEquals(List.of(64_000, 65_000), ControlPorts.of(60_000, 4_000));
    assertEquals(List.of(65_529), ControlPorts.of(65_528, 1));
    IOException e = assertThrows(IOException.class, () -> ControlPorts.of(65_535, 1));
    assertTrue(e.getMessage().contains("leaves no room"), e.getMessage());
  }
}
