package io.sluice.it.demo;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Real text that nobody wrote for this purpose.
 *
 * <p>The Collaborative International Dictionary of English, 1913 and later, as Debian's package
 * {@code dict-gcide} installs it (dictzip is gzip with an index), or where that is missing the
 * licences and Perl modules that are on every Debian machine.
 *
 * @param title what it is, for people
 * @param file the plain text
 */
public record TextSource(String title, Path file) {
  private static final Path DICTIONARY = Path.of("/usr/share/dictd/gcide.dict.dz");
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
      if (Files.exists(DICTIONARY)) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(DICTIONARY))) {
          Files.copy(in, file);
        }
        return new TextSource("the GNU dictionary of English (Debian's dict-gcide)", file);
      }
      try (OutputStream out = Files.newOutputStream(file)) {
        for (Path root : EVERYWHERE) {
          append(root, out);
        }
      }
      if (Files.size(file) == 0) {
        throw new ClusterException(
            "no text for WordCount: install dict-gcide; looked for %s and below %s"
                .formatted(DICTIONARY, EVERYWHERE));
      }
      return new TextSource(
          "licences and Perl modules of this machine, since dict-gcide is not installed", file);
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
