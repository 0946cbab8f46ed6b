package io.sluice.tools.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private static TextTable table() {
    TextTable table = new TextTable(List.of("TeraSort", "stock", "Sluice"));
    table.add(List.of("wall", "100.0 s", "9.5 s"));
    return table;
  }

  @Test
  void figuresAreAlignedToTheRight() {
    assertEquals(
        """
        TeraSort    stock  Sluice
        -------------------------
        wall      100.0 s   9.5 s
        """,
        table().toText());
  }

  @Test
  void markdown() {
    assertEquals(
        """
        | TeraSort | stock | Sluice |
        |---|---|---|
        | wall | 100.0 s | 9.5 s |
        """,
        table().toMarkdown());
  }

  @Test
  void aColumnMayBeEmpty() {
    TextTable table = new TextTable(List.of("suite", ""));
    table.add(List.of("ShapesIT", ""));
    assertEquals("suite      \n-----------\nShapesIT   \n", table.toText());
  }
}
