package io.sluice.local.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Whether it makes no difference which of two files, or directories, a task reads. */
final class SameContent {
  private SameContent() {}

  static boolean of(Path one, Path other) throws IOException {
    boolean isDirectory = Files.isDirectory(one);
    if (isDirectory != Files.isDirectory(other)) {
      return false;
    }
    if (!isDirectory) {
      return Files.mismatch(one, other) < 0;
    }
    List<Path> names = names(one);
    if (!names.equals(names(other))) {
      return false;
    }
    for (Path name : names) {
      if (!of(one.resolve(name), other.resolve(name))) {
        return false;
      }
    }
    return true;
  }

  private static List<Path> names(Path directory) throws IOException {
    try (Stream<Path> children = Files.list(directory)) {
      return children.map(Path::getFileName).sorted().toList();
    }
  }
}
