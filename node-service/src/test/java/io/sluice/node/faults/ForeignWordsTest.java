package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sluice.rdma.testing.ForkedJvm;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reader whose C library speaks another language than English. */
class ForeignWordsTest {
  private static final List<String> GERMAN =
      List.of(
          "env", "LC_ALL=C.UTF-8", "LANGUAGE=de", "sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh");

  @TempDir Path directory;

  /** Else a map would be blamed for it. */
  @Test
  void aLackOfDescriptorsIsTheReadersOwn() {
    try (ForkedJvm reader =
        new ForkedJvm(GERMAN, directory.resolve("log"), ForeignWordsMain.class)) {
      assumeFalse(
          reader.awaitLine("said").contains("Too many open files"),
          "the C library has no German words here: install its translations");
      assertEquals("SHORT", reader.awaitLine("trouble"));
      assertEquals(0, reader.end(), reader::toString);
    }
  }
}
