package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.it.foreign.ForeignOutput.CounterDifference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignOutputTest {
  private static final String LOG =
      """
      12:00:00 INFO Job: Counters: 4
      \tFile System Counters
      \t\tFILE: Number of bytes read=77
      \tMap-Reduce Framework
      \t\tMap input records=%d
      \t\tGC time elapsed (ms)=%d
      \tforeign.Words
      \t\tOdd=3
      12:00:00 INFO Job: done=8
      """;

  @TempDir private Path directory;

  private ForeignOutput output(String name, String log, String... files) throws IOException {
    Path out = directory.resolve(name);
    for (String file : files) {
      String[] parts = file.split("=");
      Path path = out.resolve(parts[0]);
      Files.createDirectories(path.getParent());
      Files.writeString(path, parts[1]);
    }
    Files.createDirectories(out);
    Path said = directory.resolve(name + ".log");
    Files.writeString(said, log);
    return ForeignOutput.read(out, said);
  }

  @Test
  void namesTheFirstLineThatDiffersAndFilesOfOneRun() throws IOException {
    ForeignOutput stock = output("a", "", "x/part=1\n2\n", "y/part=1\n", "y/_SUCCESS= ");
    ForeignOutput ours = output("b", "", "x/part=1\n3\n4\n", "z/.part.crc= ", "z/part=1\n");
    assertEquals(
        List.of(
            "x/part: 2 lines, 3 lines; line 2 is \"2\\n\", \"3\\n\"",
            "y/part is only in one",
            "z/part is only in one"),
        stock.differentFiles(ours));
  }

  @Test
  void theOrderOfLinesCountsUnlessTheDirectorySaysOtherwise() throws IOException {
    ForeignOutput stock = output("a", "", "x=1\n2\n", "unordered/y=1\n2\n");
    ForeignOutput ours = output("b", "", "x=2\n1\n", "unordered/y=2\n1\n");
    assertEquals(
        List.of("x: 2 lines, 2 lines; line 1 is \"1\\n\", \"2\\n\""), stock.differentFiles(ours));
  }

  @Test
  void comparesTheCountersOfEachJobButThoseOfTime() throws IOException {
    ForeignOutput stock = output("a", LOG.formatted(2, 1) + LOG.formatted(5, 1), "x=1");
    ForeignOutput ours = output("b", LOG.formatted(2, 9) + LOG.formatted(6, 9), "x=1");
    assertEquals(
        List.of("job 2: Map-Reduce Framework: Map input records = 5, 6"),
        said(stock.differentCounters(ours)));
  }

  @Test
  void differencesOfTwoJobsDoNotMakeUpForEachOther() throws IOException {
    ForeignOutput stock = output("a", LOG.formatted(2, 1) + LOG.formatted(5, 1), "x=1");
    ForeignOutput ours = output("b", LOG.formatted(3, 1) + LOG.formatted(4, 1), "x=1");
    assertEquals(
        List.of(
            "job 1: Map-Reduce Framework: Map input records = 2, 3",
            "job 2: Map-Reduce Framework: Map input records = 5, 4"),
        said(stock.differentCounters(ours)));
  }

  @Test
  void jobsMayEndInAnyOrder() throws IOException {
    ForeignOutput stock = output("a", LOG.formatted(2, 1) + LOG.formatted(5, 1), "x=1");
    ForeignOutput ours = output("b", LOG.formatted(5, 1) + LOG.formatted(2, 1), "x=1");
    assertEquals(List.of(), said(stock.differentCounters(ours)));
  }

  @Test
  void aJobOfOneRunAloneIsSaid() throws IOException {
    ForeignOutput stock = output("a", LOG.formatted(2, 1) + LOG.formatted(5, 1), "x=1");
    ForeignOutput ours = output("b", LOG.formatted(2, 1), "x=1");
    assertEquals(
        List.of(
            "job 2: Map-Reduce Framework: Map input records = 5, none",
            "job 2: foreign.Words: Odd = 3, none"),
        said(stock.differentCounters(ours)));
    assertEquals(
        List.of(
            "job 2: Map-Reduce Framework: Map input records = none, 5",
            "job 2: foreign.Words: Odd = none, 3"),
        said(ours.differentCounters(stock)));
  }

  private static List<String> said(List<CounterDifference> differences) {
    return differences.stream().map(CounterDifference::toString).toList();
  }

  /** Bytes of files that are no text, and the end of a file that is cut off. */
  @ParameterizedTest
  @CsvSource({"'a\r\nb\n','a\nb\n'", "'k\r1\rv','k\n1\nv'", "'a\nb\n','a\nb'"})
  void theEndsOfLinesCount(String stock, String ours) throws IOException {
    assertFalse(
        output("a", "", "x=" + stock).differentFiles(output("b", "", "x=" + ours)).isEmpty());
  }

  @ParameterizedTest
  @CsvSource({
    "'C: Counters: 1\n\tG\n\t\tsum=-5\n','C: Counters: 1\n\tG\n\t\tsum=-6\n'",
    "'Counters: 2\n\tq=1\n\t\tR=7\n\tq=2\n\t\tR=9\n','Counters: 2\n\tq=1\n\t\tR=3\n\tq=2\n\t\tR=9\n'",
    "'Counters: 1\n\tG\n\t\ta=b=1\n','Counters: 1\n\tG\n\t\ta=b=2\n'",
  })
  void everyCounterIsRead(String stock, String ours) throws IOException {
    assertEquals(1, output("a", stock).differentCounters(output("b", ours)).size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Counters: 2\n\tG\n\t\tA=1\n",
        "Counters: 2\n\tG\n\t\tA=1\nCounters: 1\n\tG\n\t\tA=1\n",
        "Counters: 2\n\tG\n\t\tA=1\n\t\tA=1\n"
      })
  void countersThatAreMissingOrThereTwiceAreNoResult(String log) {
    assertThrows(IllegalStateException.class, () -> output("a", log));
  }
}
