package io.sluice.bench.hadoop;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Real text that nobody wrote for this purpose.
 *
 * <p>Princeton's WordNet, senses of English words with definitions and examples, as Debian's
 * package {@code wordnet-base} installs it, or where that is missing the licences and Perl modules
 * that are on every Debian machine.
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
