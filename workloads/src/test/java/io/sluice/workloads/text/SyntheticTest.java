package io.sluice.workloads.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.workloads.input.GenerateText;
import io.sluice.workloads.run.LocalRuns;
import io.sluice.workloads.text.Synthetic.EmitCount;
import io.sluice.workloads.text.Synthetic.KeyChoice;
import io.sluice.workloads.text.Synthetic.Pi;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SyntheticTest {
  private static final int TOKENS = 1000 * 12;

  @TempDir private Path directory;
  private LocalRuns runs;

  @BeforeEach
  void start() throws Exception {
    runs = new LocalRuns(directory);
    runs.run(new GenerateText(), "1000", runs.path("text"));
  }

  private List<String> lines(String output, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of(runs.path("text"), runs.path(output)));
    runs.run(new Synthetic(), arguments.toArray(String[]::new));
    return runs.sortedLines(output);
  }

  private Map<Integer, Long> counts(String... options) throws Exception {
    return lines("output", options).stream()
        .map(line -> line.split("\t"))
        .collect(
            Collectors.toMap(
                fields -> Integer.parseInt(fields[0]), fields -> Long.parseLong(fields[1])));
  }

  private static long sum(Map<Integer, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void aTokenMakesAPairOfAnyKey() throws Exception {
    Map<Integer, Long> counts = counts();
    assertEquals(TOKENS, sum(counts));
    // 1 - 1/e^1.2 of ten thousand.
    assertEquals(7000, counts.size(), 300);
    assertTrue(counts.keySet().stream().allMatch(key -> key >= 1 && key <= 10_000));
  }

  @Test
  void manyTokensMakeAPair() throws Exception {
    assertEquals(
        TOKENS * 0.2,
        sum(counts("-Dworkloads.synthetic.emit=many-to-one", "-Dworkloads.synthetic.psi=0.2")),
        200);
  }

  @Test
  void aTokenMakesManyPairs() throws Exception {
    assertEquals(
        TOKENS * 4.0,
        sum(counts("-Dworkloads.synthetic.emit=one-to-many", "-Dworkloads.synthetic.lambda=4")),
        1000);
  }

  @Test
  void keysMayBeZipfian() throws Exception {
    Map<Integer, Long> counts =
        counts("-Dworkloads.synthetic.keys=zipfian", "-Dworkloads.synthetic.zipf-skew=2");
    // 6/pi² of them, and a quarter of that.
    assertEquals(TOKENS * 0.608, counts.get(1), 300);
    assertEquals(TOKENS * 0.152, counts.get(2), 200);
  }

  @Test
  void oneReduceMayGetMost() throws Exception {
    counts("-Dworkloads.synthetic.keys=biased", "-Dworkloads.synthetic.alpha=0.6");
    List<Long> ofReduces = new ArrayList<>();
    for (int reduce = 0; reduce < 3; reduce++) {
      try (Stream<String> lines =
          Files.lines(directory.resolve("output").resolve("part-r-0000" + reduce))) {
        ofReduces.add(lines.mapToLong(line -> Long.parseLong(line.split("\t")[1])).sum());
      }
    }
    assertEquals(TOKENS * 0.6, ofReduces.get(0), 300);
    assertEquals(TOKENS * 0.2, ofReduces.get(1), 300);
    assertEquals(TOKENS * 0.2, ofReduces.get(2), 300);
  }

  @Test
  void pairsDependOnNothingButTheText() throws Exception {
    List<String> expected = lines("expected");
    assertEquals(
        expected,
        lines(
            "others",
            "-Dmapreduce.job.reduces=1",
            "-Dmapreduce.input.fileinputformat.split.maxsize=5000",
            "-Dworkloads.synthetic.pi-digits=20"));
    assertNotEquals(expected, lines("of longer values", "-Dworkloads.synthetic.payload-size=9"));
  }

  @Test
  void digitsOfPiAreRight() {
    assertEquals("3", Pi.digits(1).toString());
    assertEquals("31", Pi.digits(2).toString());
    assertEquals("31415926535897932384626433832795028841", Pi.digits(38).toString());
  }

  @Test
  void unknownKindsAreErrors() {
    Configuration conf = new Configuration(false);
    conf.set(EmitCount.KIND, "two-to-one");
    conf.set(KeyChoice.KIND, "odd");
    assertThrows(IllegalArgumentException.class, () -> EmitCount.of(conf));
    assertThrows(IllegalArgumentException.class, () -> KeyChoice.of(conf, 1));
    conf.set(EmitCount.KIND, "one-to-many");
    conf.setDouble(EmitCount.LAMBDA, 800);
    assertThrows(IllegalArgumentException.class, () -> EmitCount.of(conf));
  }
}
