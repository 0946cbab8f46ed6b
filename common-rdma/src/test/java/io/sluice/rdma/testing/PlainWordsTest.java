package io.sluice.rdma.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlainWordsTest {
  private static String words(int count) {
    return String.join(" ", Collections.nCopies(count, "word"));
  }

  @Test
  void aSentenceHasThirtyWordsAtMost() {
    assertEquals(List.of(), PlainWords.complaints(words(30) + "."));
    assertEquals(List.of("31 words: " + words(31)), PlainWords.complaints(words(31)));
    assertEquals(List.of(), PlainWords.complaints(words(20) + ". " + words(20) + "."));
    assertEquals(List.of(), PlainWords.complaints("# " + words(20) + "\n\n" + words(20)));
    assertEquals(List.of(), PlainWords.complaints("- " + words(20) + "\n- " + words(20)));
    assertEquals(List.of(), PlainWords.complaints("| " + words(20) + " | " + words(20) + " |"));
    assertEquals(1, PlainWords.complaints(words(16) + "\n" + words(16)).size());
  }

  @Test
  void codeIsOneWordAndNoLanguage() {
    assertEquals(List.of(), PlainWords.complaints("`" + words(40) + "`"));
    assertEquals(List.of(), PlainWords.complaints("A block:\n```\n" + words(40) + "\n```\nends."));
    assertEquals(List.of(), PlainWords.complaints("<!-- " + words(40) + " -->"));
    assertEquals(List.of(), PlainWords.complaints("See [" + words(5) + "](a/" + words(40) + ")."));
  }

  @Test
  void noSentenceBeginsWithARelativeClause() {
    for (String start : List.of("What", "Who", "Whoever", "Of which", "Of whose")) {
      assertEquals(1, PlainWords.complaints("A line. " + start + " is left.").size(), start);
    }
    assertEquals(List.of(), PlainWords.complaints("What is left?"));
    assertEquals(List.of(), PlainWords.complaints("Whole files. It is what is left."));
  }

  @Test
  void noUserIsHe() {
    assertTrue(PlainWords.complaints("A user and his tasks.").get(0).startsWith("calls somebody"));
    assertEquals(List.of(), PlainWords.complaints("The history of this."));
  }
}
