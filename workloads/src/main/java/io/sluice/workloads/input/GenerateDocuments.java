package io.sluice.workloads.input;

import io.sluice.workloads.input.GenerateText.Vocabulary;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.StringTokenizer;
import java.util.TreeMap;

/**
 * Writes documents, each a line: its name, a tab, and 20 to 180 words. Every topic has the same
 * vocabulary with other words in front (Zipf). Seven of ten words of a document are of its main
 * topic, the others of any.
 */
public final class GenerateDocuments extends Generator {
  private static final String VOCABULARY = "workloads.documents.vocabulary";
  private static final String TOPICS = "workloads.documents.topics";
  private static final int FEWEST_WORDS = 20;
  private static final int MOST_WORDS = 180;
  private static final double OF_MAIN_TOPIC = 0.7;
  private static final int DIGITS_OF_NAME = 9;

  public GenerateDocuments() {
    super("documents");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Vocabulary words = new Vocabulary(getConf().getInt(VOCABULARY, 10_000));
    Zipf ranks = new Zipf(words.size(), 1);
    int topics = getConf().getInt(TOPICS, 10);
    write(
        arguments,
        (number, random, lines) -> {
          appendPadded(lines.append('d'), number, DIGITS_OF_NAME).append('\t');
          appendWords(lines, words, ranks, topics, random);
        });
  }

  private static void appendWords(
      StringBuilder lines, Vocabulary words, Zipf ranks, int topics, SplittableRandom random) {
    int main = random.nextInt(topics);
    int count = random.nextInt(FEWEST_WORDS, MOST_WORDS + 1);
    for (int word = 0; word < count; word++) {
      int topic = random.nextDouble() < OF_MAIN_TOPIC ? main : random.nextInt(topics);
      long first = (long) words.size() * topic / topics;
      lines.append(words.word((int) ((first + ranks.draw(random)) % words.size())));
      lines.append(word < count - 1 ? ' ' : '\n');
    }
  }

  /**
   * A line of the input.
   *
   * @param counts how often the document has each word
   */
  public record Document(String name, SortedMap<String, Long> counts) {
    /** Parses a line. */
    public static Document parse(String line) {
      int tab = line.indexOf('\t');
      if (tab < 0) {
        throw new IllegalArgumentException("no tab behind the name of a document: " + line);
      }
      SortedMap<String, Long> counts = new TreeMap<>();
      StringTokenizer words = new StringTokenizer(line.substring(tab + 1));
      while (words.hasMoreTokens()) {
        counts.merge(words.nextToken(), 1L, Long::sum);
      }
      return new Document(line.substring(0, tab), counts);
    }
  }
}
