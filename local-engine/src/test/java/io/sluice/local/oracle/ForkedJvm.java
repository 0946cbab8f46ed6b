package io.sluice.local.oracle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of one of these tests' programs, with the tests' class path.
 *
 * <p>Ownership: whoever starts it closes it, which ends it by force.
 */
record ForkedJvm(Process process, Path log) implements AutoCloseable {
  private static final long LIMIT_S = 200;
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Starts a program's main method behind some words of a shell, which may be none. */
  static ForkedJvm start(Path log, String shell, String heap, Class<?> program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("bash", "-c", shell + "exec \"$@\"", "-"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx" + heap));
    command.addAll( // as in these tests' own JVM, which load the same classes
        List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
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

  /** Waits until it has said that, which nobody announces, and leaves it the processor. */
  void awaitSaid(String said) {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
    while (!text().contains(said)) {
      boolean mayStillSay = process.isAlive() && System.nanoTime() - endNs < 0;
      if (!mayStillSay && !text().contains(said)) {
        throw new AssertionError("has not said \"" + said + "\":\n" + text());
      }
      LockSupport.parkNanos(LOOK_NS);
    }
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
