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
 * Nothing that Sluice writes depends on the locale of the process that it works in: names of files
 * and of outputs, lines that a script reads, keys. Java formats numbers with the digits of that
 * locale (Arabic, Persian, Marathi …) and turns letters into capitals by its rules (Turkish).
 */
class LocaleTest {
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?m)^\\s*//[^\\n]*");
  private static final Pattern TEXT =
      Pattern.compile("(?s)\"\"\"(.*?)\"\"\"|\"((?:[^\"\\\\\\n]|\\\\.)*)\"");

  /** Of numbers with local digits; {@code %x} and {@code %s} have none. */
  private static final Pattern NUMBER =
      Pattern.compile("%(\\d+\\$)?[-#+ 0,(]*\\d*(\\.\\d+)?[deEfgG]");

  private static final Pattern OF_DEFAULT_LOCALE =
      Pattern.compile(
          "to(Upper|Lower)Case\\(\\)|NumberFormat\\.get\\w*\\(\\)"
              + "|new (DecimalFormat|MessageFormat|SimpleDateFormat)\\(");

  private static boolean dependsOnLocale(String source) {
    String code = COMMENT.matcher(source).replaceAll("");
    if (OF_DEFAULT_LOCALE.matcher(code).find()) {
      return true;
    }
    Matcher texts = TEXT.matcher(code);
    while (texts.find()) {
      String statement = code.substring(code.lastIndexOf(';', texts.start()) + 1, texts.start());
      if (NUMBER.matcher(texts.group().replace("%%", "")).find()
          && !statement.contains("Locale.ROOT")) {
        return true;
      }
    }
    return false;
  }

  /** Those of tests and measurements set their own locale. */
  @Test
  void noModuleOfTheProductDoes() throws IOException {
    Path root = SourceTree.root();
    List<String> found = new ArrayList<>();
    for (Path file : SourceTree.inOthersProcesses("tools")) {
      if (dependsOnLocale(Files.readString(file))) {
        found.add(root.relativize(file).toString());
      }
    }
    assertEquals(List.of(), found, "use Locale.ROOT, or %s for a whole number");
  }

  @Test
  void theRuleSeesWhatDepends() {
    assertTrue(dependsOnLocale("x = \"%d bytes\".formatted(n);"));
    assertTrue(dependsOnLocale("f(Locale.ROOT); x = String.format(\"%1$,d\", n);"));
    assertTrue(dependsOnLocale("x = String.format(\"%.1f%%\", n);"));
    assertTrue(dependsOnLocale("x = name.toUpperCase();"));
    assertTrue(dependsOnLocale("x = NumberFormat.getInstance();"));
    assertFalse(dependsOnLocale("x = String.format(Locale.ROOT, \"%06d\", n);"));
    assertFalse(dependsOnLocale("x = \"%s bytes, %08x\".formatted(n, crc); // %d"));
    assertFalse(dependsOnLocale("x = \"100 %% done\"; /* %d */"));
  }
}
