package io.sluice.rdma.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Programs of the system that a fault is made with. */
final class Commands {
  private static final long LIMIT_S = 30;

  private Commands() {}

  /** Runs a program to its end; fails unless it ends in time and well. */
  static void run(String... command) {
    Process process = start(command);
    try {
      if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException(String.join(" ", command) + " hangs");
      }
      if (process.exitValue() != 0) {
        throw new IllegalStateException(
            String.join(" ", command)
                + ": "
                + new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a program that prints little. */
  static Process start(String... command) {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
