package io.sluice.rdma;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells which type of a Java source a place is in. A rule excepts one type, nested or not, so that
 * the exception does not hold for the rest of its file.
 */
final class SourceTypes {
  private static final Pattern NO_CODE =
      Pattern.compile(
          "(?s)/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])+'");
  private static final Pattern BOUNDARY =
      Pattern.compile("[{}]|\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");

  private SourceTypes() {}

  private record Type(String name, int depth) {}

  /** The innermost named type around a place, its header included; empty outside of all. */
  static String at(String source, int position) {
    Deque<Type> around = new ArrayDeque<>();
    int depth = 0;
    Matcher boundary = BOUNDARY.matcher(blank(source, NO_CODE));
    while (boundary.find() && boundary.start() <= position) {
      if (boundary.group(1) != null) {
        around.push(new Type(boundary.group(1), depth));
      } else if (boundary.group().equals("{")) {
        depth++;
      } else {
        depth--;
        if (!around.isEmpty() && around.peek().depth() == depth) {
          around.pop();
        }
      }
    }
    return around.isEmpty() ? "" : around.peek().name();
  }

  /** The same text with blanks for what matches, so that all else stays where it is. */
  static String blank(String source, Pattern what) {
    return what.matcher(source).replaceAll(found -> " ".repeat(found.group().length()));
  }
}
