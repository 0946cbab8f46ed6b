package io.sluice.bench.waiting;

/**
 * What it took while tasks waited.
 *
 * @param cores of the service's process, on average
 * @param eventMs until another task had its refusal, on average
 * @param worstMs the same at most
 * @param answers how many of those that waited were answered meanwhile
 */
record Took(double cores, double eventMs, double worstMs, int answers) {
  private static final String MARK = "took";

  /** As one process tells it another. */
  String toLine() {
    return MARK + " " + cores + " " + eventMs + " " + worstMs + " " + answers;
  }

  /** The last such line of a text. */
  static Took find(String text) {
    String line = text.substring(text.lastIndexOf(MARK)).lines().findFirst().orElseThrow();
    String[] words = line.split(" ");
    return new Took(
        Double.parseDouble(words[1]),
        Double.parseDouble(words[2]),
        Double.parseDouble(words[3]),
        Integer.parseInt(words[4]));
  }

  /** Processor seconds in ten seconds. */
  double cpuOfTenSeconds() {
    return 10 * cores;
  }
}
