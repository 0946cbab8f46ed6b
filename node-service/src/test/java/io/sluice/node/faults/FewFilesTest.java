package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.testing.ForkedJvm;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A reader of more nodes than its process may have files open. */
@Tag("slow")
class FewFilesTest extends NodeTestBase {
  /** The defect was: too many open files in the middle of a merge. */
  @ParameterizedTest
  @CsvSource({"256, 300", "1024, 1100"})
  void itReadsFromFewerAtATime(int mostFiles, int nodes) throws Exception {
    start(4);
    commit(ManyNodesMain.output());
    List<String> limited = List.of("sh", "-c", "ulimit -n " + mostFiles + "; exec \"$@\"", "sh");
    try (ForkedJvm reader =
        new ForkedJvm(
            limited,
            directory.resolve("log"),
            ManyNodesMain.class,
            APP,
            "secret",
            Integer.toString(service.metadata().address().controlPort()),
            Integer.toString(nodes))) {
      assertEquals(0, reader.end(), () -> reader.log());
      assertEquals(nodes + " nodes", reader.awaitLine("read"));
      int most = Integer.parseInt(reader.awaitLine("most"));
      assertTrue(most >= mostFiles / 16, "it read from " + most + " nodes at a time");
    }
  }
}
