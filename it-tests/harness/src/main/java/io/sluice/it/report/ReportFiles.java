package io.sluice.it.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds the files that {@link TestReports} reads. Others make and remove files in the same checkout
 * meanwhile: what vanishes is no report.
 *
 * <p>Failure: {@link UncheckedIOException} if a directory that is there cannot be read.
 */
final class ReportFiles {
  private ReportFiles() {}

  /**
   * Those that Maven's plugins wrote, of modules one or two levels below the root; clusters and
   * shares of the lab, which lie deeper, are not looked into.
   *
   * @param runners a pattern of how their directories begin
   */
  static List<Path> ofModules(Path root, String runners, Instant since) {
    return directories(root)
        .flatMap(module -> Stream.concat(Stream.of(module), directories(module)))
        .flatMap(module -> directories(module.resolve("target")))
        .filter(reports -> reports.getFileName().toString().matches("(" + runners + ")-reports"))
        .flatMap(reports -> list(reports).stream())
        .filter(file -> isReport(file) && isSince(file, since))
        .sorted()
        .toList();
  }

  /** All below a directory; none if it is not there. */
  static List<Path> below(Path directory) {
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (isReport(file)) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
              return passUnlessGone(e);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path left, IOException e) throws IOException {
              return passUnlessGone(e);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look for test reports below " + directory, e);
    }
    return found.stream().sorted().toList();
  }

  private static FileVisitResult passUnlessGone(IOException e) throws IOException {
    if (e != null && !(e instanceof NoSuchFileException)) {
      throw e;
    }
    return FileVisitResult.CONTINUE;
  }

  private static boolean isReport(Path file) {
    return file.getFileName().toString().matches("TEST-.*\\.xml");
  }

  private static boolean isSince(Path file, Instant since) {
    try {
      return !Files.getLastModifiedTime(file).toInstant().isBefore(since);
    } catch (NoSuchFileException gone) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look at " + file, e);
    }
  }

  private static Stream<Path> directories(Path directory) {
    return list(directory).stream().filter(Files::isDirectory);
  }

  private static List<Path> list(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    } catch (NoSuchFileException gone) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
  }
}
