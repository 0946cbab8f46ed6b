package io.sluice.workloads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;

class WorkloadsTest {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z-]+)` [a-z]");

  @Test
  void everyProgramIsDescribed() throws IOException {
    String page = Files.readString(Path.of("../docs/workloads.md"));
    List<String> described =
        ROW.matcher(page).results().map((MatchResult row) -> row.group(1)).sorted().toList();
    assertEquals(
        described, Workloads.PROGRAMS.stream().map(Workloads.Named::name).sorted().toList());
  }

  @Test
  void everyProgramCanBeStarted() throws Exception {
    for (Workloads.Named named : Workloads.PROGRAMS) {
      assertEquals(2, Workloads.run(new String[] {named.name(), "one"}), named.name());
    }
  }

  @Test
  void noProgramHasAnotherName() throws Exception {
    assertEquals(-1, Workloads.run(new String[] {}));
    assertEquals(-1, Workloads.run(new String[] {"word-count", "in", "out"}));
  }

  @Test
  void aWrongNumberOfArgumentsIsWrongUsage() throws Exception {
    for (Workloads.Named named : Workloads.PROGRAMS) {
      assertEquals(2, ToolRunner.run(named.program().get(), new String[] {"one"}));
    }
  }
}
