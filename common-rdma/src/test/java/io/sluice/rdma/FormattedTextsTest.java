package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A text of several literals is in parentheses where it is formatted. Else the call fills the last
 * literal alone, and people read {@code %s}.
 */
class FormattedTextsTest {
  private static final String LITERAL = "\"((?:[^\"\\\\\\n]|\\\\.)*)\"";
  private static final Pattern FORMATTED =
      Pattern.compile("((?:" + LITERAL + "\\s*\\+\\s*)+)" + LITERAL + "\\s*\\.formatted\\(");

  private static boolean leavesPlaces(String source) {
    Matcher texts = FORMATTED.matcher(source);
    while (texts.find()) {
      if (texts.group(1).replace("%%", "").contains("%")) {
        return true;
      }
    }
    return false;
  }

  @Test
  void noTextOfTheProductLeavesPlaces() throws IOException {
    Path root = SourceTree.root();
    List<String> found = new ArrayList<>();
    for (Path file : SourceTree.inOthersProcesses("tools")) {
      if (leavesPlaces(Files.readString(file))) {
        found.add(root.relativize(file).toString());
      }
    }
    assertEquals(List.of(), found, "put the whole text into parentheses");
  }

  @Test
  void theRuleSeesWhatIsLeft() {
    assertTrue(leavesPlaces("x = \"%s of \" + \"%s\".formatted(a, b);"));
    assertTrue(leavesPlaces("x = \"%s of \"\n    + \"%s\"\n    .formatted(a, b);"));
    assertFalse(leavesPlaces("x = (\"%s of \" + \"%s\").formatted(a, b);"));
    assertFalse(leavesPlaces("x = \"100 %% of \" + \"%s\".formatted(b);"));
    assertFalse(leavesPlaces("x = \"all of \" + \"%s\".formatted(b);"));
  }
}
