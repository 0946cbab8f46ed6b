package io.sluice.hadoop.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the options that go with the archive tell the compiler. */
class NotInlinedMethodsTest {
  private static final Pattern METHOD = Pattern.compile("dontinline,([\\w.]+)::(\\w+)");

  /** The JVM says nothing of a method that is not there. */
  @Test
  void areThere() throws Exception {
    String site = Files.readString(Path.of("..", "docs", "conf", "mapred-site.archive.xml"));
    List<MatchResult> methods = METHOD.matcher(site).results().toList();
    assertEquals(3, methods.size(), "one for each kind of JVM");
    for (MatchResult method : methods) {
      assertTrue(
          Stream.of(Class.forName(method.group(1)).getMethods())
              .anyMatch(each -> each.getName().equals(method.group(2))),
          method.group());
    }
  }
}
