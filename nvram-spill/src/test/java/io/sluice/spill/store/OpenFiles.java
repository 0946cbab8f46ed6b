package io.sluice.spill.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Counts what this process has open, deleted files too. */
public final class OpenFiles {
  private OpenFiles() {}

  /** Descriptors of files below a directory. */
  public static int below(Path directory) throws IOException {
    int count = 0;
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors) {
        try {
          count += Files.readSymbolicLink(descriptor).startsWith(directory) ? 1 : 0;
        } catch (NoSuchFileException e) {
          // closed meanwhile
        }
      }
    }
    return count;
  }
}
