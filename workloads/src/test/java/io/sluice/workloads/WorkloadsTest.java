package io.sluice.workloads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

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
  void everyProgramCanBeStarted() throws ReflectiveOperationException {
    for (Workloads.Named named : Workloads.PROGRAMS) {
      assertNotNull(named.program().getMethod("main", String[].class), named.name());
    }
  }

  @Test
  void aWrongNumberOfArgumentsIsWrongUsage() throws Exception {
    for (Workloads.Named named : Workloads.PROGRAMS) {
      assertEquals(
          2, ToolRunner.run(named.program().getConstructor().newInstance(), new String[] {"one"}));
    }
  }
}
