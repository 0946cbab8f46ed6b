package io.sluice.bench.hadoop;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Hadoop's own WordCount, which has a combiner, over a text.
 *
 * <p>Its output is a function of the text and the number of reduces, so two variants agree exactly
 * when their part files are the same bytes. Not thread-safe.
 */
public final class WordCountJob {
  private static final int REDUCES = 2;
  private static final long BLOCK_LENGTH_BYTES = 16L << 20;

  private final PseudoCluster cluster;
  private final String directory;

  public WordCountJob(PseudoCluster cluster, String directory) {
    this.cluster = cluster;
    this.directory = directory;
  }

  public void upload(TextSource text) {
    cluster.fileSystem().upload(text.file(), directory + "/input", BLOCK_LENGTH_BYTES);
  }

  /** Counts the words and tells what that cost. */
  public JobCosts count(HadoopVariant variant, JobProgress progress) {
    cluster.fileSystem().delete(output(variant));
    JobSpec spec =
        JobSpec.example(
                cluster.spec().distribution(),
                "WordCount, " + variant.title(),
                "wordcount",
                directory + "/input",
                output(variant))
            .with("mapreduce.job.reduces", REDUCES)
            .with(variant.settings(cluster));
    return JobCosts.of(cluster, RunningJob.run(cluster, spec, progress).requireSuccess());
  }

  /** Checks that two variants wrote the same bytes into the same part files. */
  public void requireEqual(HadoopVariant one, HadoopVariant other) {
    List<String> first = digests(output(one));
    List<String> second = digests(output(other));
    if (!first.equals(second) || first.size() != REDUCES) {
      throw new ClusterException(
          "WordCount: the outputs of %s and %s differ; SHA-256 of their part files: %s and %s"
              .formatted(one.title(), other.title(), first, second));
    }
  }

  private List<String> digests(String output) {
    return OutputDigest.of(cluster.fileSystem(), output, true);
  }

  private String output(HadoopVariant variant) {
    return directory + "/counts-" + variant;
  }

  /**
   * Real text that nobody wrote for this purpose.
   *
   * <p>Princeton's WordNet, senses of English words with definitions and examples, as Debian's
   * package {@code wordnet-base} installs it, or where that is missing the licences and Perl
   * modules that are on every Debian machine.
   *
   * @param title what it is, for people
   * @param file the plain text
   */
  public record TextSource(String title, Path file) {
    private static final Path WORDNET = Path.of("/usr/share/wordnet");
    private static final List<Path> EVERYWHERE =
        List.of(
            Path.of("/usr/share/common-licenses"),
            Path.of("/usr/share/perl"),
            Path.of("/usr/lib/x86_64-linux-gnu/perl-base"),
            Path.of("/usr/lib/aarch64-linux-gnu/perl-base"));

    /** Writes the best text there is into a directory. */
    public static TextSource prepare(Path directory) {
      Path file = directory.resolve("text");
      try {
        if (Files.isDirectory(WORDNET)) {
          return concatenate("WordNet (Debian's wordnet-base)", List.of(WORDNET), file);
        }
        return concatenate(
            "licences and Perl modules of this machine, since wordnet-base is not installed",
            EVERYWHERE,
            file);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write the text for WordCount to " + file, e);
      }
    }

    public long lengthBytes() {
      try {
        return Files.size(file);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + file, e);
      }
    }

    private static TextSource concatenate(String title, List<Path> roots, Path file)
        throws IOException {
      try (OutputStream out = Files.newOutputStream(file)) {
        for (Path root : roots) {
          append(root, out);
        }
      }
      if (Files.size(file) == 0) {
        throw new ClusterException(
            "no text for WordCount below %s; install wordnet-base".formatted(roots));
      }
      return new TextSource(title, file);
    }

    private static void append(Path root, OutputStream out) throws IOException {
      if (!Files.isDirectory(root)) {
        return;
      }
      try (Stream<Path> files = Files.walk(root)) {
        for (Path text : files.filter(Files::isRegularFile).sorted().toList()) {
          Files.copy(text, out);
        }
      }
    }
  }
}
