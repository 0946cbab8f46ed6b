package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * No text takes the message of an exception that may be one of Java's for files, which is only a
 * path: {@link io.sluice.rdma.text.ErrorText} says what is wrong with it. Exceptions of our own
 * have messages.
 */
class ErrorTextsTest {
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");
  private static final Pattern MESSAGE =
      Pattern.compile("(?<name>\\w+)(?:\\.get(?:Cause)?\\(\\))?\\s*\\.getMessage\\(\\)");
  private static final Pattern MAY_BE_OF_A_FILE =
      Pattern.compile("\\b(IOException|UncheckedIOException|Exception|Throwable)\\b");

  /** Types whose text is read by code and not by people, or that cannot name ErrorText. */
  private static final Set<String> OTHERS = Set.of("ErrorText", "PortPlan", "TaskLoaders");

  private static boolean takesAMessage(String source) {
    return !takers(source).isEmpty();
  }

  /** The types of a source that take such a message, one for each time; "" outside of all. */
  private static List<String> takers(String source) {
    String code = SourceTypes.blank(source, COMMENT);
    List<String> takers = new ArrayList<>();
    Matcher message = MESSAGE.matcher(code);
    while (message.find()) {
      if (MAY_BE_OF_A_FILE.matcher(typeOf(message.group("name"), code, message.start())).find()) {
        takers.add(SourceTypes.at(source, message.start()));
      }
    }
    return takers;
  }

  /** The type in the declaration of that name that is nearest before it; empty without one. */
  private static String typeOf(String name, String code, int before) {
    Matcher declared =
        Pattern.compile("(?<type>(?:[\\w<>]+\\s*\\|\\s*)*[\\w<>]+)\\s+" + name + "\\s*[),=:;]")
            .matcher(code)
            .region(0, before);
    String type = "";
    while (declared.find()) {
      if (!declared.group("type").matches("throw|return")) {
        type = declared.group("type");
      }
    }
    return type;
  }

  /** Not hadoop-entry, which runs on Java 8 and beside no other module. */
  @Test
  void noModuleOfTheProductDoes() throws IOException {
    Path root = SourceTree.root();
    List<String> found = new ArrayList<>();
    for (Path file : SourceTree.inOthersProcesses("tools")) {
      if (!root.relativize(file).startsWith("hadoop-entry")) {
        takers(Files.readString(file)).stream()
            .filter(type -> !OTHERS.contains(type))
            .forEach(type -> found.add(root.relativize(file) + ": " + type));
      }
    }
    assertEquals(List.of(), found, "use ErrorText.of(e)");
  }

  @Test
  void theRuleSeesWhoDoes() {
    assertTrue(takesAMessage("catch (IOException e) { throw e; log(e.getMessage()); }"));
    assertTrue(takesAMessage("catch (IOException | Error e) { log(e.getMessage()); }"));
    assertTrue(takesAMessage("private IOException failure; void f() { g(failure.getMessage()); }"));
    assertTrue(takesAMessage("f(Throwable why) { g(why.getCause().getMessage()); }"));
    assertTrue(takesAMessage("f(AtomicReference<IOException> e) { g(e.get().getMessage()); }"));
    assertFalse(takesAMessage("catch (NodeBusyException e) { log(e.getMessage()); }"));
    assertFalse(
        takesAMessage("catch (IOException e) {} catch (BusyException e) { f(e.getMessage()); }"));
    assertFalse(takesAMessage("f(IOException e) { g(ErrorText.of(e)); } // e.getMessage()"));
  }
}
