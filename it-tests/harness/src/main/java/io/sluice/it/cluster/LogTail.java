package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The end of a process's log, for an error message. */
public final class LogTail {
  private LogTail() {}

  /** The last lines of a file; nothing if there is no such file. */
  public static String of(Path logFile, int lines) {
    try {
      List<String> all = Files.exists(logFile) ? Files.readAllLines(logFile) : List.of();
      return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + logFile, e);
    }
  }
}
