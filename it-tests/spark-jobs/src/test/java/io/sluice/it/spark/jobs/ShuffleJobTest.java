package io.sluice.it.spark.jobs;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.spark.jobs.ShuffleJob.ShuffleReport;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import scala.Tuple2;

/** Every workload on stock Spark in this JVM, against the same done with plain collections. */
@Tag("slow")
class ShuffleJobTest {
  private static final String STOCK_MANAGER = "org.apache.spark.shuffle.sort.SortShuffleManager";
  private static final int ROWS = 20_000;
  private static final int PARTITIONS = 12;
  private static final long SEED = 42;

  /** One run of each workload is enough for all tests. */
  private static final Map<Workload, ShuffleReport> REPORTS = new EnumMap<>(Workload.class);

  /** What only campaigns shuffle through Sluice. */
  private static final Set<Workload> OF_CAMPAIGNS =
      Set.of(
          Workload.STREAM_AGGREGATE,
          Workload.STREAM_STATE,
          Workload.KILLED_BETWEEN_STAGES,
          Workload.OVERTAKEN,
          Workload.RELEASED);

  static List<Workload> thatPlainCollectionsCanDo() {
    Set<Workload> graphsAndLargeRecords =
        Set.of(
            Workload.PAGE_RANK,
            Workload.TRANSITIVE_CLOSURE,
            Workload.LARGE_RECORDS,
            Workload.SQL_LATE_BROADCAST);
    return Stream.of(Workload.values())
        .filter(workload -> !graphsAndLargeRecords.contains(workload))
        .filter(workload -> !OF_CAMPAIGNS.contains(workload))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("thatPlainCollectionsCanDo")
  void theResultIsThatOfPlainCollections(Workload workload) {
    assertOfPlainCollections(workload);
  }

  @ParameterizedTest
  @FieldSource("OF_CAMPAIGNS")
  @Tag("campaign")
  void soIsThatOfCampaigns(Workload workload) {
    assertOfPlainCollections(workload);
  }

  private static void assertOfPlainCollections(Workload workload) {
    ShuffleReport report = report(workload);
    List<ResultRow> expected = expected(workload).toList();
    assertAll(
        () -> assertEquals(expected.size(), report.count(), "rows"),
        () -> assertEquals(digest(expected), report.digest()),
        () -> assertEquals(STOCK_MANAGER, report.driverShuffleManager()),
        () -> assertEquals(Map.of("driver", STOCK_MANAGER), report.executorShuffleManagers()));
  }

  @ParameterizedTest
  @FieldSource("io.sluice.it.spark.jobs.Workload#BASIC")
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
  @FieldSource("io.sluice.it.spark.jobs.Workload#BASIC")
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
      case REPARTITION, SQL_REPARTITION, SQL_SMALL_BLOCKS, SORT_BY_KEY, SQL_SORT ->
          plain(rows(SEED, 0));
      case WIDE -> plain(rows(SEED, 4, 0));
      case GROUP_BY_KEY,
          KILLED_WHILE_MAPPING,
          KILLED_BETWEEN_STAGES,
          KILLED_WHILE_REDUCING,
          OVERTAKEN,
          RELEASED ->
          grouped(groups(SEED));
      case SKEWED_GROUPS -> grouped(groups(rows(SEED, 90)));
      case FEW_KEYS -> grouped(groups(rows(SEED, 0).filter(row -> row._1() < 3)));
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
      case STREAM_AGGREGATE ->
          groups(rows(SEED, 3, 0)).entrySet().stream()
              .map(group -> countAndHashes(group.getKey(), group.getValue()));
      case STREAM_STATE -> streamStates();
      default -> throw new IllegalArgumentException("stock Spark alone says what is right");
    };
  }

  /** In each of three batches, a row for every key in it. */
  private static Stream<ResultRow> streamStates() {
    Stream.Builder<ResultRow> states = Stream.builder();
    Map<Long, List<String>> soFar = new TreeMap<>();
    for (int batch = 0; batch < 3; batch++) {
      Map<Long, List<String>> added = groups(partition(SEED, 3, batch, 0));
      added.forEach((key, values) -> soFar.merge(key, values, ShuffleJobTest::concatenated));
      added.keySet().forEach(key -> states.add(countAndHashes(key, soFar.get(key))));
    }
    return states.build();
  }

  private static List<String> concatenated(List<String> one, List<String> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }

  private static ResultRow countAndHashes(long key, List<String> values) {
    return ResultRow.of(
        key,
        values.size(),
        values.stream().mapToLong((String value) -> StreamWorkloads.smallHash(value)).sum());
  }

  private static Stream<ResultRow> plain(Stream<Tuple2<Long, String>> rows) {
    return rows.map(row -> ResultRow.of(row._1(), ResultRow.hash(row._2())));
  }

  private static Stream<ResultRow> grouped(Map<Long, List<String>> groups) {
    return groups.entrySet().stream()
        .map(group -> ResultRow.of(group.getKey(), ResultRow.hash(group.getValue())));
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
    return groups(rows(seed, 0));
  }

  private static Map<Long, List<String>> groups(Stream<Tuple2<Long, String>> rows) {
    Map<Long, List<String>> groups = new TreeMap<>();
    rows.forEach(row -> groups.computeIfAbsent(row._1(), k -> new ArrayList<>()).add(row._2()));
    return groups;
  }

  private static Stream<Tuple2<Long, String>> rows(long seed, int hotKeyPercent) {
    return rows(seed, PARTITIONS, hotKeyPercent);
  }

  private static Stream<Tuple2<Long, String>> rows(long seed, int partitions, int hotKeyPercent) {
    return IntStream.range(0, partitions)
        .boxed()
        .flatMap(partition -> partition(seed, partitions, partition, hotKeyPercent));
  }

  private static Stream<Tuple2<Long, String>> partition(
      long seed, int partitions, int partition, int hotKeyPercent) {
    ShuffleArguments arguments = new ShuffleArguments(Workload.REPARTITION, ROWS, partitions, seed);
    Stream.Builder<Tuple2<Long, String>> rows = Stream.builder();
    new SeededRows(arguments, partition, hotKeyPercent).forEachRemaining(rows);
    return rows.build();
  }

  private static ShuffleReport run(Workload workload, long seed) {
    try {
      return ShuffleJob.run(List.of(arguments(workload, seed))).get(0);
    } catch (Exception e) {
      throw new AssertionError(workload + " failed", e);
    }
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
