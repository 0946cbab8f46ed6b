package io.sluice.it.spark.jobs;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.Tuple2;

/** Every workload on stock Spark in this JVM, against the same done with plain collections. */
class ShuffleJobTest {
  private static final String STOCK_MANAGER = "org.apache.spark.shuffle.sort.SortShuffleManager";
  private static final int ROWS = 20_000;
  private static final int PARTITIONS = 12;
  private static final long SEED = 42;

  /** One run of each workload is enough for all tests. */
  private static final Map<Workload, ShuffleReport> REPORTS = new EnumMap<>(Workload.class);

  @ParameterizedTest
  @EnumSource(Workload.class)
  void theResultIsThatOfPlainCollections(Workload workload) {
    ShuffleReport report = report(workload);
    List<ResultRow> expected = expected(workload).toList();
    assertAll(
        () -> assertEquals(expected.size(), report.count(), "rows"),
        () -> assertEquals(digest(expected), report.digest()),
        () -> assertEquals(STOCK_MANAGER, report.driverShuffleManager()),
        () -> assertEquals(Map.of("driver", STOCK_MANAGER), report.executorShuffleManagers()));
  }

  @ParameterizedTest
  @EnumSource(Workload.class)
  void theCostsAreThoseOfAllTasks(Workload workload) {
    ShuffleCosts costs = report(workload).costs();
    assertAll(
        () -> assertEquals(0, costs.failedTasks()),
        () -> assertTrue(costs.tasks() > PARTITIONS, costs.toString()),
        () -> assertTrue(costs.executorCpuNs() > 0, costs.toString()),
        () -> assertTrue(costs.writeTimeNs() > 0, costs.toString()),
        () -> assertTrue(costs.recordsWritten() > 0, costs.toString()),
        () -> assertTrue(costs.recordsRead() >= costs.recordsWritten(), costs.toString()),
        () -> assertTrue(costs.localBytesRead() >= costs.bytesWritten(), costs.toString()),
        () -> assertEquals(0, costs.remoteBytesRead()));
  }

  @ParameterizedTest
  @EnumSource(Workload.class)
  void onlySortedResultsAscend(Workload workload) {
    boolean sorts = workload == Workload.SORT_BY_KEY || workload == Workload.SQL_SORT;
    assertEquals(sorts, report(workload).sorted());
  }

  @Test
  void mapSideCombineWritesLessThanAllRows() {
    assertEquals(ROWS, report(Workload.GROUP_BY_KEY).costs().recordsWritten());
    ShuffleCosts reduced = report(Workload.REDUCE_BY_KEY).costs();
    assertTrue(reduced.recordsWritten() < ROWS, reduced.toString());
  }

  @Test
  void theJoinIsCoalescedAndItsHotKeySplit() {
    ShuffleReport join = report(Workload.SQL_JOIN);
    assertTrue(join.adaptiveReads().contains("coalesced and skewed"), join.toString());
    // Every part of the hot key's rows reads the other side's.
    assertTrue(join.costs().recordsRead() > join.costs().recordsWritten(), join.toString());
  }

  @Test
  void anotherSeedGivesAnotherResult() {
    assertNotEquals(
        report(Workload.REPARTITION).digest(), run(Workload.REPARTITION, SEED + 1).digest());
  }

  private static ShuffleReport report(Workload workload) {
    return REPORTS.computeIfAbsent(workload, w -> run(w, SEED));
  }

  private static ShuffleArguments arguments(Workload workload, long seed) {
    return new ShuffleArguments(workload, ROWS, PARTITIONS, seed);
  }

  private static Stream<ResultRow> expected(Workload workload) {
    return switch (workload) {
      case REPARTITION, SQL_REPARTITION, SORT_BY_KEY, SQL_SORT ->
          rows(SEED, 0).map(row -> ResultRow.of(row._1(), ResultRow.hash(row._2())));
      case GROUP_BY_KEY ->
          groups(SEED).entrySet().stream()
              .map(group -> ResultRow.of(group.getKey(), ResultRow.hash(group.getValue())));
      case REDUCE_BY_KEY ->
          groups(SEED).entrySet().stream()
              .map(
                  group ->
                      ResultRow.of(
                          group.getKey(),
                          group.getValue().stream()
                              .mapToLong((String value) -> ResultRow.hash(value))
                              .sum()));
      case COGROUP -> cogroups();
      case SQL_JOIN ->
          rows(SEED, 50)
              .map(
                  row ->
                      ResultRow.of(
                          row._1(),
                          ResultRow.hash(row._2()),
                          ResultRow.hash(sha256(row._1() + ":" + SEED))));
    };
  }

  private static Stream<ResultRow> cogroups() {
    Map<Long, List<String>> left = groups(SEED);
    Map<Long, List<String>> right = groups(SEED + 1);
    Set<Long> keys = new TreeSet<>(left.keySet());
    keys.addAll(right.keySet());
    return keys.stream()
        .map(
            key ->
                ResultRow.of(
                    key,
                    ResultRow.hash(left.getOrDefault(key, List.of())),
                    ResultRow.hash(right.getOrDefault(key, List.of()))));
  }

  private static Map<Long, List<String>> groups(long seed) {
    Map<Long, List<String>> groups = new TreeMap<>();
    rows(seed, 0)
        .forEach(row -> groups.computeIfAbsent(row._1(), k -> new ArrayList<>()).add(row._2()));
    return groups;
  }

  private static Stream<Tuple2<Long, String>> rows(long seed, int hotKeyPercent) {
    ShuffleArguments arguments = arguments(Workload.REPARTITION, seed);
    Stream.Builder<Tuple2<Long, String>> rows = Stream.builder();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      new SeededRows(arguments, partition, hotKeyPercent).forEachRemaining(rows);
    }
    return rows.build();
  }

  private static ShuffleReport run(Workload workload, long seed) {
    return ShuffleJob.run(List.of(arguments(workload, seed))).get(0);
  }

  private static String digest(List<ResultRow> rows) {
    return "%016x".formatted(rows.stream().mapToLong(ResultRow::hash).sum());
  }

  private static String sha256(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JVM has SHA-256", e);
    }
  }
}
