package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs that others wrote give what stock gives: in one process, or on Spark, a core in every
 * run.
 */
class ForeignIT {
  static Stream<ForeignProgram> core() {
    return Stream.of(ForeignProgram.values()).filter(ForeignProgram::isCore);
  }

  static Stream<ForeignProgram> others() {
    return Stream.of(ForeignProgram.values())
        .filter(program -> !program.isCore() || program.hasShortRun());
  }

  @ParameterizedTest
  @MethodSource("core")
  void aProgramOfTheCoreDoesAsWithStock(ForeignProgram program) {
    assertDoesAsWithStock(program, ForeignRun::runShort);
  }

  @ParameterizedTest
  @MethodSource("others")
  @Tag("campaign")
  void everyOtherProgramAndAllOfTheCoresDoAsWithStock(ForeignProgram program) {
    assertDoesAsWithStock(program, ForeignRun::run);
  }

  private static void assertDoesAsWithStock(
      ForeignProgram program, Function<ForeignRun, ForeignResult> how) {
    Optional<String> obstacle = ForeignRun.obstacle(program);
    assumeTrue(obstacle.isEmpty(), () -> program + ": " + obstacle.get());
    ForeignResult result =
        new ForeignPrograms(Workspace.find(), Console.standard())
            .compare(program, ForeignRun.where(program), how);
    assertEquals(List.of(), result.problems());
  }
}
