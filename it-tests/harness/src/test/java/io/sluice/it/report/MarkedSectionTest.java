package io.sluice.it.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkedSectionTest {
  @TempDir Path directory;

  @Test
  void onlyWhatIsBetweenTheMarkersChanges() throws IOException {
    Path page =
        Files.writeString(
            directory.resolve("page"), "before\n<!-- t -->\nold\n<!-- end of t -->\nafter\n");
    MarkedSection section = new MarkedSection(page, "t");
    assertEquals("old\n", section.read());
    section.write("new\nlines\n");
    assertEquals(
        "before\n<!-- t -->\nnew\nlines\n<!-- end of t -->\nafter\n", Files.readString(page));
  }

  @Test
  void aPageWithoutMarkersIsAnError() throws IOException {
    Path page = Files.writeString(directory.resolve("page"), "before\n<!-- t -->\n");
    assertThrows(IllegalStateException.class, () -> new MarkedSection(page, "t").read());
  }
}
