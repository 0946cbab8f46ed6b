package io.sluice.bench.memory;

import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobSpec;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The jobs of the paper's Figures 13 and 14, and what they read. */
public enum MemoryWorkload {
  /** Twice as much is shuffled as is read. */
  PLAIN_WORD_COUNT("wc", "WordCount without combiner", 0.5),
  SORT("sort", "Sort", 1),
  /** Some of it is shuffled: the paper's text has a thousand words, and nearly nothing of it is. */
  WORD_COUNT("wcc", "WordCount with combiner", 0.33);

  /** The maps of a job in any memory: the paper has five waves of maps. */
  static final int MAPS = 8;

  static final int REDUCES = 2;

  private static final int GENERATOR_MAPS = 2;
  private static final long LEAST_BLOCK_BYTES = 1 << 20; // the NameNode's
  private static final Duration DEADLINE = Duration.ofMinutes(60);
  private static final String TEXT = "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat";
  private static final String PLAIN_JOB = "io.sluice.it.jobs.PlainWordCount";

  private final String id;
  private final String title;
  private final double share;

  MemoryWorkload(String id, String title, double share) {
    this.id = id;
    this.title = title;
    this.share = share;
  }

  /** As it is named on the command line. */
  public String id() {
    return id;
  }

  public String title() {
    return title;
  }

  /** The one of this name. */
  public static MemoryWorkload of(String id) {
    for (MemoryWorkload workload : values()) {
      if (workload.id.equals(id)) {
        return workload;
      }
    }
    throw new IllegalArgumentException("a workload is wc, sort or wcc; found \"" + id + "\"");
  }

  boolean isText() {
    return this != SORT;
  }

  /** Size of its input where Sort's is this. */
  long inputBytes(long sizeBytes) {
    return Math.round(sizeBytes * share);
  }

  /** Whether Hadoop's generator has words enough for its input, if it is one of text. */
  boolean isGenerated() {
    return this != WORD_COUNT;
  }

  /** Blocks of which an input has so many: a map reads one. */
  static long blockBytes(long inputBytes, int maps) {
    return Math.max(
        LEAST_BLOCK_BYTES, (inputBytes / maps / LEAST_BLOCK_BYTES + 1) * LEAST_BLOCK_BYTES);
  }

  /** Writes its input, so that it has so many splits. */
  JobSpec generator(HadoopDistribution hadoop, long inputBytes, int maps, String output) {
    String settings = isText() ? "mapreduce.randomtextwriter." : "mapreduce.randomwriter.";
    JobSpec spec =
        isText()
            ? JobSpec.example(
                hadoop, "text for " + title, "randomtextwriter", "-outFormat", TEXT, output)
            : JobSpec.example(hadoop, "records for " + title, "randomwriter", output);
    return spec.with(
            Map.of(
                settings + "totalbytes", Long.toString(inputBytes),
                settings + "bytespermap", Long.toString(inputBytes / GENERATOR_MAPS)))
        .with("dfs.blocksize", blockBytes(inputBytes, maps));
  }

  /** The job itself. */
  JobSpec job(Workspace workspace, HadoopDistribution hadoop, String input, String output) {
    return switch (this) {
      case PLAIN_WORD_COUNT ->
          new JobSpec(
              title, workspace.jobsJar(), PLAIN_JOB, Map.of(), List.of(input, output), DEADLINE);
      case SORT ->
          JobSpec.example(hadoop, title, "sort", "-r", Integer.toString(REDUCES), input, output)
              .withDeadline(DEADLINE);
      case WORD_COUNT ->
          JobSpec.example(hadoop, title, "wordcount", input, output).withDeadline(DEADLINE);
    };
  }

  /**
   * Text whose words are as frequent as those of natural languages: the word of rank r about 1/r as
   * often as the first (Zipf), of ten million. So a combiner leaves a share of them; of Hadoop's
   * own random text, which has a thousand words, it leaves nothing that needs memory. The same
   * length gives the same text.
   */
  static final class ManyWords {
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
}
