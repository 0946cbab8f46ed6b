package io.sluice.local.oracle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process of one of these tests' programs, with the tests' class path.
 *
 * <p>Ownership: whoever starts it closes it, which ends it by force.
 */
record ForkedJvm(Process process, Path log) implements AutoCloseable {
  private static final long LIMIT_S = 200;

  /** Starts a program's main method behind some words of a shell, which may be none. */
  static ForkedJvm start(Path log, String shell, String heap, Class<?> program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("bash", "-c", shell + "exec \"$@\"", "-"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx" + heap));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(program.getName());
    command.addAll(Arrays.asList(arguments));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    return new ForkedJvm(process, log);
  }

  /** Waits for its end, which must be a good one; what it has said. */
  String succeeded() throws InterruptedException {
    if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
      throw new AssertionError("does not end:\n" + text());
    }
    if (process.exitValue() != 0) {
      throw new AssertionError("ends with " + process.exitValue() + ":\n" + text());
    }
    return text();
  }

  /** What it has said so far. */
  String text() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends it as {@code kill -9} does. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
