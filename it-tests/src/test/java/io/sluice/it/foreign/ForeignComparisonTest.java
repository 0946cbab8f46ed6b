package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.foreign.ForeignResult.Way;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No row is equal because stock has run the program twice. */
class ForeignComparisonTest {
  private static final String LOCAL_ID = "job_local1234_0001";
  private static final String ENGINES_ID = "job_176433120000012345_0001";
  private static final String CLUSTERS_ID = "job_1764331200000_0001";

  /** What a job's client prints; the last counters are those of the group Sluice. */
  private static String job(String id, int records, String... ofSluice) {
    StringBuilder log =
        new StringBuilder("12:00:00 INFO JobSubmitter: Submitting tokens for job: " + id + "\n");
    log.append("12:00:01 INFO Job: Counters: ").append(1 + ofSluice.length).append('\n');
    log.append("\tMap-Reduce Framework\n\t\tReduce input records=").append(records);
    log.append("\n\tSluice\n");
    for (String counter : ofSluice) {
      log.append("\t\t").append(counter).append('\n');
    }
    return log.toString();
  }

  private static Way way(String log, Function<PrintedJobs, List<String>> doubts) {
    PrintedJobs printed = PrintedJobs.read(log.lines().toList());
    TreeMap<String, List<String>> files = new TreeMap<>();
    files.put("part", List.of("line\n"));
    return new Way(() -> new ForeignOutput(files, printed), doubts);
  }

  private static ForeignResult inOneProcess(String stock, String ours) {
    return ForeignResult.compare(
        ForeignProgram.AVRO,
        "one process",
        List.of(),
        way(stock, PrintedJobs::notByLocalJobRunner),
        way(ours, PrintedJobs::notByEngine));
  }

  private static ForeignResult onCluster(String stock, String ours) {
    return ForeignResult.compare(
        ForeignProgram.AVRO,
        "YARN",
        List.of(),
        way(stock, PrintedJobs::notByStocksShuffle),
        way(ours, PrintedJobs::notBySluicesShuffle));
  }

  @Test
  void whatTheEngineServedIsCompared() {
    assertEquals(List.of(), inOneProcess(job(LOCAL_ID, 5), job(ENGINES_ID, 5)).problems());
    assertEquals(
        List.of("job 1: Map-Reduce Framework: Reduce input records = 5, 6"),
        inOneProcess(job(LOCAL_ID, 5), job(ENGINES_ID, 6)).problems());
  }

  @Test
  void aRunOfLocalJobRunnersDoesNotCountAsSluices() {
    assertEquals(
        List.of("Sluice failed: job_local1234_0001 was not run by Sluice's engine"),
        inOneProcess(job(LOCAL_ID, 5), job(ENGINES_ID, 5) + job(LOCAL_ID, 5)).problems());
    assertEquals(
        List.of("Sluice failed: job_1764331200000_0001 was not run by Sluice's engine"),
        inOneProcess(job(LOCAL_ID, 5), job(CLUSTERS_ID, 5)).problems());
  }

  @Test
  void aRunWhoseJobsNobodyNamesDoesNotCount() {
    assertEquals(
        List.of("Sluice failed: no client has said which job it submitted"),
        inOneProcess(job(LOCAL_ID, 5), "Counters: 1\n\tG\n\t\tA=1\n").problems());
  }

  @Test
  void aRunOfTheEnginesIsNotStocks() {
    ClusterException thrown =
        assertThrows(
            ClusterException.class, () -> inOneProcess(job(ENGINES_ID, 5), job(ENGINES_ID, 5)));
    assertEquals(ENGINES_ID + " was not run by LocalJobRunner", thrown.getMessage());
  }

  @Test
  void whatSluicesShuffleServedIsCompared() {
    String stock = job(CLUSTERS_ID, 5) + job(CLUSTERS_ID, 0);
    String ours =
        job(CLUSTERS_ID, 5, "MAP_OUTPUT_RUNS=2", "READ_BYTES_LOCAL=99", "FALLBACK_NODE_BUSY=1")
            + job(CLUSTERS_ID, 0);
    assertEquals(List.of(), onCluster(stock, ours).problems());
  }

  @ParameterizedTest
  @CsvSource({
    "MAP_OUTPUT_RUNS=0,READ_BYTES_LOCAL=9,SPILL_MS=0,sorted 5 records without Sluice",
    "MAP_OUTPUT_RUNS=2,READ_BYTES_LOCAL=0,SPILL_MS=3,fetched 5 records without Sluice",
    "MAP_OUTPUT_RUNS=2,READ_BYTES_TCP=9,FALLBACK_MAP_TO_STOCK=1,'fell back to stock, FALLBACK_MAP_TO_STOCK=1'",
    "MAP_OUTPUT_RUNS=2,READ_BYTES_VERBS=9,FALLBACK_REDUCE_TO_STOCK=1,'fell back to stock, FALLBACK_REDUCE_TO_STOCK=1'",
    "MAP_OUTPUT_RUNS=2,READ_BYTES_HTTP=9,FALLBACK_FETCH_TO_HTTP=4,'fell back to stock, FALLBACK_FETCH_TO_HTTP=4'",
  })
  void aJobThatStockHasHelpedWithDoesNotCountAsSluices(
      String first, String second, String third, String why) {
    assertEquals(
        List.of("Sluice failed: job 2 " + why),
        onCluster(
                job(CLUSTERS_ID, 0) + job(CLUSTERS_ID, 5),
                job(CLUSTERS_ID, 0) + job(CLUSTERS_ID, 5, first, second, third))
            .problems());
  }

  @Test
  void aRunWithoutAShuffleShowsNothing() {
    assertEquals(
        List.of("Sluice failed: no job has shuffled a record"),
        onCluster(job(CLUSTERS_ID, 0), job(CLUSTERS_ID, 0)).problems());
  }

  @Test
  void aRunOfSluicesShuffleIsNotStocks() {
    ClusterException thrown =
        assertThrows(
            ClusterException.class,
            () ->
                onCluster(
                    job(CLUSTERS_ID, 5, "MAP_OUTPUT_RUNS=2"),
                    job(CLUSTERS_ID, 5, "MAP_OUTPUT_RUNS=2")));
    assertEquals("job 1 has counters of Sluice's", thrown.getMessage());
  }
}
