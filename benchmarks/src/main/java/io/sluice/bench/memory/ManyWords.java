package io.sluice.bench.memory;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * Text whose words are as frequent as those of natural languages: the word of rank r about 1/r as
 * often as the first (Zipf), of ten million. So a combiner leaves a share of them; of Hadoop's own
 * random text, which has a thousand words, it leaves nothing that needs memory. The same length
 * gives the same text.
 */
final class ManyWords {
  private static final double WORDS = 10_000_000;
  private static final int WORDS_OF_LINE = 12;
  private static final int LETTERS = 8; // so that the middle word has four, as in real text
  private static final int LONGEST_WORD = 8; // 8 + 8^2 + … + 8^8 > WORDS
  private static final long SEED = 20130917;

  private ManyWords() {}

  /** Writes a file of this length, or a line more. */
  static void write(Path file, long lengthBytes) throws IOException {
    Random random = new Random(SEED);
    byte[] line = new byte[WORDS_OF_LINE * (LONGEST_WORD + 1)];
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (long written = 0; written < lengthBytes; ) {
        int end = 0;
        for (int i = 0; i < WORDS_OF_LINE; i++) {
          end = append(line, end, (long) Math.pow(WORDS, random.nextDouble()));
          line[end++] = ' ';
        }
        line[end - 1] = '\n';
        out.write(line, 0, end);
        written += end;
      }
    }
  }

  /** The frequent ones are short. */
  private static int append(byte[] line, int at, long rank) {
    int end = at;
    for (long rest = rank; rest > 0; rest = (rest - 1) / LETTERS) {
      line[end++] = (byte) ('a' + (rest - 1) % LETTERS);
    }
    return end;
  }
}
