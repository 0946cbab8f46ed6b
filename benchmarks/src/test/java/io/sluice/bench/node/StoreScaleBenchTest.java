package io.sluice.bench.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.node.FilledStore.StoreOperation;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bench with few outputs. */
class StoreScaleBenchTest {
  @TempDir private Path directory;

  @Test
  void everyCallIsMeasuredWithEachNumberAndThePoolsAreGone() throws IOException {
    Path place = Files.createDirectory(directory.resolve("place"));
    Console console = new Console(new PrintStream(OutputStream.nullOutputStream()), false);
    new StoreScaleBench(console, place, List.of(3, 40), List.of(1, 20))
        .run(2, new ResultFiles(directory));
    try (Stream<Path> left = Files.list(place)) {
      assertEquals(0, left.count());
    }
    JsonNode result =
        new ObjectMapper().readTree(directory.resolve("bench-store-scale.json").toFile());
    String page = Files.readString(directory.resolve("bench-store-scale.md"));
    for (String series : List.of("outputs", "leases")) {
      assertTrue(Files.size(directory.resolve("bench-store-scale-" + series + ".png")) > 0, series);
      for (int count : series.equals("outputs") ? List.of(3, 40) : List.of(1, 20)) {
        for (StoreOperation operation : StoreOperation.values()) {
          JsonNode rounds = result.at("/%s/%d".formatted(series, count));
          assertEquals(2, rounds.size());
          assertTrue(rounds.at("/1/" + operation.name()).asDouble() > 0, operation.name());
          assertTrue(page.contains(operation.title()), page);
        }
      }
    }
  }
}
