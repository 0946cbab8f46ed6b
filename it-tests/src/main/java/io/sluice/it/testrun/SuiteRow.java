package io.sluice.it.testrun;

/**
 * What is settled of one suite.
 *
 * @param suite simple name of a test class, or {@code lab NAME}
 * @param lane suites of one lane run one after the other, in one process; lanes side by side
 * @param test what of it {@code ./sluice test} runs
 * @param campaign what {@code ./sluice test --all} runs besides
 * @param shareS how long it may take in an unhurried run
 */
record SuiteRow(String suite, String lane, Part test, Part campaign, int shareS) {
  /** How much of a suite. */
  enum Part {
    ALL("all"),
    CORE("a core"),
    REST("the rest"),
    NOTHING("–");

    private final String text;

    Part(String text) {
      this.text = text;
    }

    /** As it is written in the table. */
    String text() {
      return text;
    }

    static Part of(String text) {
      for (Part part : values()) {
        if (part.text.equals(text)) {
          return part;
        }
      }
      throw new IllegalArgumentException("'" + text + "' says no part of a suite");
    }
  }

  /** Whether some of it runs. */
  boolean runs(boolean all) {
    return test != Part.NOTHING || all;
  }
}
