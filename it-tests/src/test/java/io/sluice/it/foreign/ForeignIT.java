package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs that others wrote give what stock gives: in one process, or on Spark, a core in every
 * run.
 */
class ForeignIT {
  /** Counters that differ, by program; their output is stock's. */
  private static final Map<ForeignProgram, Set<String>> NAMED =
      Map.of(
          ForeignProgram.HIVE,
          Set.of(
              "File Input Format Counters: Bytes Read",
              "HIVE: RECORDS_IN",
              "HIVE: RECORDS_OUT_0",
              "HIVE: RECORDS_OUT_INTERMEDIATE",
              "HIVE: RECORDS_OUT_OPERATOR_FS_9",
              "HIVE: RECORDS_OUT_OPERATOR_GBY_4",
              "HIVE: RECORDS_OUT_OPERATOR_RS_11",
              "HIVE: RECORDS_OUT_OPERATOR_TS_10",
              "Map-Reduce Framework: Map input records",
              "Map-Reduce Framework: Map output bytes",
              "Map-Reduce Framework: Map output records",
              "Map-Reduce Framework: Reduce input groups",
              "Map-Reduce Framework: Reduce input records"),
          ForeignProgram.DISTCP,
          Set.of(
              "File Input Format Counters: Bytes Read",
              "File Output Format Counters: Bytes Written"));

  static Stream<ForeignProgram> core() {
    return Stream.of(ForeignProgram.values()).filter(ForeignProgram::isCore);
  }

  static Stream<ForeignProgram> others() {
    return Stream.of(ForeignProgram.values()).filter(program -> !program.isCore());
  }

  @ParameterizedTest
  @MethodSource("core")
  void aProgramOfTheCoreDoesAsWithStock(ForeignProgram program) {
    assertDoesAsWithStock(program);
  }

  @ParameterizedTest
  @MethodSource("others")
  @Tag("campaign")
  void everyOtherProgramDoesAsWithStock(ForeignProgram program) {
    assertDoesAsWithStock(program);
  }

  private static void assertDoesAsWithStock(ForeignProgram program) {
    ForeignResult result =
        new ForeignPrograms(Workspace.find(), Console.standard())
            .compare(program, ForeignRun.where(program), ForeignRun::run);
    Set<String> named = NAMED.getOrDefault(program, Set.of());
    assertAll(
        () -> assertEquals(List.of(), result.problems()),
        () ->
            assertEquals(
                List.of(),
                result.differentCounters().stream()
                    .filter(each -> !named.contains(each.replaceFirst(" = .*", "")))
                    .toList()));
  }
}
