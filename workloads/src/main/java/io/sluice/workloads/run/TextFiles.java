package io.sluice.workloads.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Text files that a driver or a task reads and writes beside its job. Stateless. */
public final class TextFiles {
  private TextFiles() {}

  /**
   * The lines of a file, or of all files of a directory in the order of their names, except hidden
   * ones. Files are read as lines are taken; the caller closes the stream.
   */
  public static Stream<String> lines(Configuration conf, Path input) throws IOException {
    FileSystem files = input.getFileSystem(conf);
    FileStatus[] found = files.listStatus(input, path -> !path.getName().matches("[._].*"));
    return Arrays.stream(found)
        .map(FileStatus::getPath)
        .sorted()
        .flatMap(
            file -> {
              BufferedReader reader = open(files, file);
              return reader.lines().onClose(() -> close(reader));
            });
  }

  private static BufferedReader open(FileSystem files, Path file) {
    try {
      return new BufferedReader(new InputStreamReader(files.open(file), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open " + file, e);
    }
  }

  private static void close(BufferedReader reader) {
    try {
      reader.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a new file. */
  public static void write(Configuration conf, Path file, List<String> lines) throws IOException {
    try (Writer out =
        new OutputStreamWriter(
            file.getFileSystem(conf).create(file, false), StandardCharsets.UTF_8)) {
      for (String line : lines) {
        out.write(line);
        out.write('\n');
      }
    }
  }
}
