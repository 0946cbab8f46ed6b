package io.sluice.bench.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.memory.MemoryWorkload.ManyWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManyWordsTest {
  private static final int LENGTH_BYTES = 2_000_000;

  @TempDir private Path directory;

  private Path text(String name) throws IOException {
    Path file = directory.resolve(name);
    ManyWords.write(file, LENGTH_BYTES);
    return file;
  }

  @Test
  void halfOfItIsRareWordsAndAFewAreVeryFrequent() throws IOException {
    Path file = text("a");
    assertTrue(Files.size(file) >= LENGTH_BYTES && Files.size(file) < LENGTH_BYTES + 200);
    Map<String, Long> counts =
        Files.lines(file)
            .flatMap(line -> Arrays.stream(line.split(" ")))
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    long words = counts.values().stream().mapToLong(Long::longValue).sum();
    assertTrue(counts.size() > words / 4 && counts.size() < words * 3 / 4, "" + counts.size());
    assertTrue(counts.get("a") > 2 * counts.get("c"), "the first and the third word");
    assertEquals(0, counts.getOrDefault("", 0L));
  }

  @Test
  void theSameLengthGivesTheSameText() throws IOException {
    assertArrayEquals(Files.readAllBytes(text("a")), Files.readAllBytes(text("b")));
  }
}
