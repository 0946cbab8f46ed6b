package io.sluice.rdma.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Checks the rules for sentences that people read in a hurry: descriptions of settings and metrics,
 * help of commands, the README. A sentence has at most {@value #MOST_WORDS} words, begins with no
 * relative clause unless it is a question, and calls no user <i>he</i>.
 *
 * <p>Table cells, headings and items of lists are sentences of their own; what stands in backticks
 * is one word.
 */
public final class PlainWords {
  private static final int MOST_WORDS = 30;

  private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern COMMENT = Pattern.compile("(?s)<!--.*?-->");
  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern LINK = Pattern.compile("!?\\[([^\\]]*)\\]\\([^)]*\\)");

  /** A new item of a list, row of a table, heading or paragraph. */
  private static final Pattern BLOCK =
      Pattern.compile("\\n\\s*\\n|\\n(?=\\s*(?:[-*|#]|\\d+\\. ))|\\|");

  private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.?!;:])\\s+");
  private static final Pattern RELATIVE_CLAUSE =
      Pattern.compile("^(?:What|Who|Whoever|Whatever|Whose|Of which|Of whose)\\b");
  private static final Pattern HE = Pattern.compile("(?i)\\b(?:he|his|him|himself)\\b");

  private PlainWords() {}

  /** What breaks the rules in a text of plain sentences or Markdown; empty if nothing does. */
  public static List<String> complaints(String text) {
    List<String> complaints = new ArrayList<>();
    String prose = CODE_BLOCK.matcher(text).replaceAll("\n\n");
    prose = COMMENT.matcher(prose).replaceAll("");
    prose = LINK.matcher(CODE.matcher(prose).replaceAll("code")).replaceAll("$1");
    for (String block : BLOCK.split(prose)) {
      for (String sentence : SENTENCE_END.split(block.replaceAll("[-*#>\\s]+", " ").strip())) {
        complain(sentence, complaints);
      }
    }
    return complaints;
  }

  private static void complain(String sentence, List<String> complaints) {
    int words = sentence.isEmpty() ? 0 : sentence.split("\\s+").length;
    if (words > MOST_WORDS) {
      complaints.add(words + " words: " + sentence);
    }
    if (RELATIVE_CLAUSE.matcher(sentence).find() && !sentence.endsWith("?")) {
      complaints.add("begins with a relative clause: " + sentence);
    }
    if (HE.matcher(sentence).find()) {
      complaints.add("calls somebody he: " + sentence);
    }
  }
}
