package io.sluice.workloads.input;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/** Writes lines of twelve words, as frequent as those of natural languages (Zipf). */
public final class GenerateText extends Generator {
  private static final String VOCABULARY = "workloads.text.vocabulary";
  private static final int WORDS_OF_LINE = 12;

  public GenerateText() {
    super("lines");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Vocabulary words = new Vocabulary(getConf().getInt(VOCABULARY, 100_000));
    Zipf ranks = new Zipf(words.size(), 1);
    write(
        arguments,
        (number, random, lines) -> {
          for (int word = 0; word < WORDS_OF_LINE; word++) {
            lines.append(words.word(ranks.draw(random)));
            lines.append(word < WORDS_OF_LINE - 1 ? ' ' : '\n');
          }
        });
  }

  /**
   * Made-up words by their rank. Their lengths are distributed as those of words in English books
   * (Norvig, "English Letter Frequency Counts: Mayzner Revisited", 2013), and their letters are
   * about as frequent. There are few short words, so those of high ranks are longer, as in real
   * text.
   *
   * <p>Thread contract: immutable.
   */
  static final class Vocabulary {
    /** How many of 10,000 words have one letter, two, three and so on. */
    private static final int[] LENGTHS = {
      300, 1765, 2051, 1479, 1070, 839, 794, 594, 444, 308, 176, 96, 52, 22, 10
    };

    private static final int LENGTHS_TOTAL = 10_000;

    /** Letters as often as they are drawn, each of a percent. */
    private static final String LETTERS =
        "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiiinnnnnnnssssssrrrrrrhhhhhlllldddcccuuummm"
            + "fffppggwwyybbvkjxqz";

    /** After so many words that exist, a word gets one more letter. */
    private static final int TRIES = 8;

    /** All inputs have the same words. */
    private static final long SEED = 20130917;

    private final String[] words;

    Vocabulary(int size) {
      words = new String[size];
      SplittableRandom random = new SplittableRandom(SEED);
      Set<String> known = new HashSet<>();
      for (int rank = 0; rank < size; rank++) {
        int length = length(random.nextInt(LENGTHS_TOTAL));
        String word = word(random, length);
        for (int tries = 1; !known.add(word); tries++) {
          word = word(random, length + tries / TRIES);
        }
        words[rank] = word;
      }
    }

    private static int length(int draw) {
      int length = 1;
      for (int left = draw; left >= LENGTHS[length - 1]; length++) {
        left -= LENGTHS[length - 1];
      }
      return length;
    }

    private static String word(SplittableRandom random, int length) {
      StringBuilder word = new StringBuilder(length);
      for (int letter = 0; letter < length; letter++) {
        word.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
      }
      return word.toString();
    }

    int size() {
      return words.length;
    }

    String word(int rank) {
      return words[rank];
    }
  }
}
