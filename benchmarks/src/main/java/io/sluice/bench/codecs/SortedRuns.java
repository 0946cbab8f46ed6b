package io.sluice.bench.codecs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.apache.hadoop.io.Text;

/**
 * Makes the runs that are merged, the same ones each time: keys of {@value #KEY_LETTERS} hex digits
 * in the order of each run, and values of {@value #VALUE_LETTERS} letters in words, some 100 bytes
 * a record.
 *
 * <p>No key comes twice, so that there is one order of all records, however they lie in runs: the
 * numbers are those of a {@link SplittableRandom}, which repeats none within 2^64.
 *
 * <p>Not thread-safe.
 */
final class SortedRuns {
  static final int KEY_LETTERS = 16;
  static final int VALUE_LETTERS = 80;

  private static final int SEED = 42;
  private static final int WORDS = 5_000;
  private static final int LEAST_LETTERS = 3;
  private static final int MOST_LETTERS = 10;

  private final SplittableRandom keys = new SplittableRandom(SEED);
  private final SplittableRandom random = new SplittableRandom(SEED + 1);
  private final List<String> words = new ArrayList<>(WORDS);

  /** A record; those of a run are in its order. */
  record KeyValue(Text key, Text value) implements Comparable<KeyValue> {
    @Override
    public int compareTo(KeyValue other) {
      return key.compareTo(other.key);
    }
  }

  /** Takes runs one after the other. */
  interface Sink {
    void add(int number, List<KeyValue> run) throws IOException;
  }

  SortedRuns() {
    for (int i = 0; i < WORDS; i++) {
      StringBuilder word = new StringBuilder();
      for (int letters = random.nextInt(LEAST_LETTERS, MOST_LETTERS + 1); letters > 0; letters--) {
        word.append((char) random.nextInt('a', 'z' + 1));
      }
      words.add(word.toString());
    }
  }

  /** Makes so many runs with about as many records each. */
  void make(int runs, long records, Sink sink) throws IOException {
    for (int number = 0; number < runs; number++) {
      long count = records * (number + 1) / runs - records * number / runs;
      List<KeyValue> run = new ArrayList<>();
      for (long i = 0; i < count; i++) {
        run.add(new KeyValue(text(HexFormat.of().toHexDigits(keys.nextLong())), text(value())));
      }
      Collections.sort(run);
      sink.add(number, run);
    }
  }

  private String value() {
    StringBuilder value = new StringBuilder();
    while (value.length() < VALUE_LETTERS) {
      value.append(words.get((int) StrictMath.pow(WORDS, random.nextDouble()))).append(' ');
    }
    return value.substring(0, VALUE_LETTERS);
  }

  private static Text text(String letters) {
    return new Text(letters.getBytes(StandardCharsets.US_ASCII));
  }

  /** Runs that are kept as a variant reads them, and its merge of them. One thread. */
  interface RunsMerge extends SortedRuns.Sink {
    /** Bytes of the runs before they are compressed. */
    long rawBytes();

    /** Bytes of the runs as they are read. */
    long storedBytes();

    /** Raw bytes of the runs' chunks; 0 if they have none. */
    int chunkBytes();

    /** Merges all of them, and leaves them for the next time. */
    Outcome merge() throws IOException;

    /**
     * The result of a merge.
     *
     * @param output what came out
     * @param rewrittenRecords that were written by merges before the last one
     */
    record Outcome(RecordsDigest.Sum output, long rewrittenRecords) {}

    /**
     * The output of a merge in a few bytes: records in another order have another digest.
     *
     * <p>Not thread-safe.
     */
    static final class RecordsDigest {
      private final CRC32C crc = new CRC32C();
      private long records;

      /**
       * All of the records.
       *
       * @param records how many
       * @param crc32c of their serialized keys and values, one behind the other
       */
      record Sum(long records, long crc32c) {}

      /**
       * Adds a record; serialized texts begin with their lengths, so that nothing else looks alike.
       */
      void add(
          byte[] key,
          int keyOffset,
          int keyLength,
          byte[] value,
          int valueOffset,
          int valueLength) {
        crc.update(key, keyOffset, keyLength);
        crc.update(value, valueOffset, valueLength);
        records++;
      }

      Sum sum() {
        return new Sum(records, crc.getValue());
      }
    }
  }
}
