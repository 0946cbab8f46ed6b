package io.sluice.it.spark.jobs;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.spark.jobs.PersistArguments.PersistBenchmark;
import io.sluice.it.spark.jobs.PersistBenchmarkJob.SeededLines;
import io.sluice.it.spark.jobs.PersistedRun.RanTask;
import io.sluice.it.spark.jobs.PersistedRun.StageRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All benchmarks that one process can run, on stock Spark in this JVM. */
@Tag("slow")
class PersistBenchmarkJobTest {
  private static final long TEXT_BYTES = 200_000;
  private static final int BLOCKS = 4;
  private static final int RUNS = 2;
  private static final long SEED = 7;

  private static PersistArguments arguments(String level, PersistBenchmark benchmark) {
    return new PersistArguments(level, benchmark, TEXT_BYTES, BLOCKS, RUNS, SEED);
  }

  private static List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int block = 0; block < BLOCKS; block++) {
      new SeededLines(SEED, block, TEXT_BYTES / BLOCKS).forEachRemaining(lines::add);
    }
    return lines;
  }

  private static String wordCount() {
    Map<String, Integer> counts = new HashMap<>();
    lines()
        .forEach(line -> List.of(line.split(" ")).forEach(w -> counts.merge(w, 1, Integer::sum)));
    long hashes =
        counts.entrySet().stream()
            .mapToLong(each -> ResultRow.of(ResultRow.hash(each.getKey()), each.getValue()).hash())
            .sum();
    return "%d words, %016x".formatted(counts.size(), hashes);
  }

  @Test
  void allGiveWhatPlainCollectionsGiveAndSayWhatTheirStagesTook() throws Exception {
    List<PersistedRun> runs =
        PersistBenchmarkJob.run(
            List.of(
                arguments("MEMORY_ONLY", PersistBenchmark.LINE_COUNTER),
                arguments("MEMORY_ONLY_SER", PersistBenchmark.WORD_COUNT_REDUCE),
                arguments("DISK_ONLY", PersistBenchmark.WORD_COUNT_GROUP)));
    assertAll(
        () -> assertEquals(lines().size() + " lines", runs.get(0).digest()),
        () -> assertEquals(wordCount(), runs.get(1).digest()),
        () -> assertEquals(wordCount(), runs.get(2).digest()),
        () -> assertEquals(List.of(1, 1), stages(runs.get(0))),
        () -> assertEquals(List.of(2, 2), stages(runs.get(1))),
        () -> assertEquals(List.of(2, 2), stages(runs.get(2))),
        () -> assertTrue(runs.get(0).memoryBytes() > runs.get(1).memoryBytes(), "expansion"),
        () -> assertTrue(runs.get(1).memoryBytes() > TEXT_BYTES, "serialized"),
        () -> assertTrue(runs.get(2).diskBytes() > TEXT_BYTES, "on disk"),
        () -> assertEquals(0, runs.get(2).memoryBytes()));
    runs.forEach(PersistBenchmarkJobTest::assertStages);
  }

  private static List<Integer> stages(PersistedRun run) {
    return run.runs().stream().map(List::size).toList();
  }

  private static void assertStages(PersistedRun run) {
    assertEquals(BLOCKS, run.keptBlocks());
    assertEquals(BLOCKS, run.load().size());
    for (List<StageRun> stages : run.runs()) {
      for (StageRun stage : stages) {
        assertEquals(List.of(0, 1, 2, 3), stage.tasks().stream().map(RanTask::partition).toList());
        stage
            .tasks()
            .forEach(
                task ->
                    assertTrue(
                        task.startMs() >= 0 && task.startMs() + task.timeMs() <= stage.wallMs(),
                        stage.toString()));
      }
    }
  }

  @Test
  void nobodyElseIsThereToReadABlock() {
    assertThrows(
        IllegalStateException.class,
        () ->
            PersistBenchmarkJob.run(
                List.of(arguments("MEMORY_ONLY_SER", PersistBenchmark.LINE_COUNTER_REMOTE))));
  }

  @Test
  void argumentsAreReadAsTheyAreWritten() {
    PersistArguments one = arguments("DISK_ONLY", PersistBenchmark.LINE_COUNTER);
    PersistArguments other = arguments("MEMORY_ONLY", PersistBenchmark.WORD_COUNT_GROUP);
    List<String> line = new ArrayList<>(one.toList());
    line.addAll(other.toList());
    assertEquals(List.of(one, other), PersistArguments.parse(line.toArray(String[]::new)));
    assertThrows(
        IllegalArgumentException.class, () -> PersistArguments.parse(new String[] {"DISK_ONLY"}));
  }
}
