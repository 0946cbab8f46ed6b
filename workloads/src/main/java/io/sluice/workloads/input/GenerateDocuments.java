package io.sluice.workloads.input;

import io.sluice.workloads.run.Program;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.ToolRunner;

/**
 * Writes documents, each a line: its name, a tab, and 20 to 180 words. Every topic has the same
 * vocabulary with other words in front (Zipf); seven of ten words of a document are of its main
 * topic, the others of any.
 */
public final class GenerateDocuments extends Program {
  private static final String VOCABULARY = "workloads.documents.vocabulary";
  private static final String TOPICS = "workloads.documents.topics";
  private static final int FEWEST_WORDS = 20;
  private static final int MOST_WORDS = 180;
  private static final double OF_MAIN_TOPIC = 0.7;
  private static final int DIGITS_OF_NAME = 9;

  public GenerateDocuments() {
    super("documents", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Vocabulary words = new Vocabulary(getConf().getInt(VOCABULARY, 10_000));
    Zipf ranks = new Zipf(words.size(), 1);
    int topics = getConf().getInt(TOPICS, 10);
    new SeededFiles(getConf())
        .write(
            new Path(arguments[1]),
            Long.parseLong(arguments[0]),
            (number, random, lines) -> {
              appendName(lines, number);
              appendWords(lines, words, ranks, topics, random);
            });
  }

  /** Names sort as their numbers do. */
  private static void appendName(StringBuilder lines, long number) {
    String digits = Long.toString(number);
    lines.append('d').append("0".repeat(Math.max(0, DIGITS_OF_NAME - digits.length())));
    lines.append(digits).append('\t');
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

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new GenerateDocuments(), arguments));
  }
}
