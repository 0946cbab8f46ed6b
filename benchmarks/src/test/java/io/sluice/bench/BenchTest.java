package io.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchTest {
  @TempDir private Path directory;

  private void run(int rounds, IntConsumer round) {
    Console console = new Console(new PrintStream(OutputStream.nullOutputStream()), false);
    Bench.of("bench-x", "x")
        .table("", () -> new TextTable(List.of("a")))
        .run(rounds, round, console, new ResultFiles(directory));
  }

  private String page(String name) throws IOException {
    return Files.readString(directory.resolve(name));
  }

  @Test
  void aRunThatFailsLeavesTheLastFullResultAsItWas() throws IOException {
    run(2, round -> {});
    String page = page("bench-x.md");
    String json = page("bench-x.json");
    assertTrue(page.contains("rounds: 2"), page);

    IntConsumer failsInTheSecond =
        round -> {
          if (round == 2) {
            throw new IllegalStateException("no second round");
          }
        };
    assertThrows(IllegalStateException.class, () -> run(3, failsInTheSecond));
    assertEquals(page, page("bench-x.md"));
    assertEquals(json, page("bench-x.json"));
    String unfinished = page("bench-x-unfinished/bench-x.md");
    assertTrue(unfinished.contains("rounds: 1"), unfinished);
  }

  @Test
  void aFullRunRemovesTheUnfinishedResult() throws IOException {
    run(1, round -> assertFalse(Files.exists(directory.resolve("bench-x-unfinished"))));
    run(
        2,
        round -> assertEquals(round == 2, Files.exists(directory.resolve("bench-x-unfinished"))));
    assertFalse(Files.exists(directory.resolve("bench-x-unfinished")));
    assertTrue(page("bench-x.md").contains("rounds: 2"));
  }
}
