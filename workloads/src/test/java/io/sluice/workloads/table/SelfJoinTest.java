package io.sluice.workloads.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.workloads.input.GenerateAssociations;
import io.sluice.workloads.run.LocalRuns;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SelfJoinTest {
  private static final int ITEM = 7;

  @TempDir private Path directory;

  @Test
  void everyTwoAssociationsThatDifferInTheirLastItemAreJoined() throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    runs.run(new GenerateAssociations(), "400", runs.path("associations"));
    List<String> lines = runs.lines("associations");
    Set<String> expected = new TreeSet<>();
    for (String one : lines) {
      for (String other : lines) {
        int last = one.length() - ITEM;
        if (one.regionMatches(0, other, 0, last) && one.compareTo(other) < 0) {
          expected.add(
              one.substring(0, last) + "\t" + one.substring(last + 1) + other.substring(last));
        }
      }
    }
    runs.run(new SelfJoin(), runs.path("associations"), runs.path("joined"));
    assertEquals(List.copyOf(expected), runs.sortedLines("joined"));
  }

  @Test
  void whatIsThereTwiceIsJoinedOnce() throws Exception {
    LocalRuns runs = new LocalRuns(directory);
    String input = runs.write("input", List.of("a;b;c", "a;b;c", "a;b;d", "a;c;d"));
    runs.run(new SelfJoin(), input, runs.path("joined"));
    assertEquals(List.of("a;b\tc;d"), runs.lines("joined"));
  }
}
