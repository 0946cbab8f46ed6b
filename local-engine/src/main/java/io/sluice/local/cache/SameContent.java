package io.sluice.local.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Whether it makes no difference which of two files, or directories, a task reads. */
final class SameContent {
  private SameContent() {}

  /** The two may be links; links in them are the same if they say the same. */
  static boolean of(Path one, Path other) throws IOException {
    if (Files.isRegularFile(one) && Files.isRegularFile(other)) {
      return Files.mismatch(one, other) < 0;
    }
    if (!Files.isDirectory(one) || !Files.isDirectory(other)) {
      return false; // to open a pipe would wait for its writer
    }
    List<Path> names = names(one);
    if (!names.equals(names(other))) {
      return false;
    }
    for (Path name : names) {
      if (!ofChildren(one.resolve(name), other.resolve(name))) {
        return false;
      }
    }
    return true;
  }

  private static boolean ofChildren(Path one, Path other) throws IOException {
    if (Files.isSymbolicLink(one) || Files.isSymbolicLink(other)) {
      return Files.isSymbolicLink(one)
          && Files.isSymbolicLink(other)
          && Files.readSymbolicLink(one).equals(Files.readSymbolicLink(other));
    }
    return of(one, other);
  }

  private static List<Path> names(Path directory) throws IOException {
    try (Stream<Path> children = Files.list(directory)) {
      return children.map(Path::getFileName).sorted().toList();
    }
  }
}
