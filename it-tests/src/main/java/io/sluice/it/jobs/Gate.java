package io.sluice.it.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.util.Progressable;

/**
 * A point at which tasks say that they have come so far and wait for the test, in place of sleeping
 * and hoping.
 *
 * <p>A task makes the file {@code <attempt id>.reached} in the gate's directory, which is on this
 * machine, and goes on once there is a file {@code open}, or one named {@code <attempt id>.open}.
 * It gives up, and fails, after {@link #DEADLINE}.
 */
public final class Gate {
  public static final String OPEN = "open";
  public static final String REACHED_SUFFIX = ".reached";
  public static final String OPEN_SUFFIX = ".open";
  private static final Duration DEADLINE = Duration.ofMinutes(15);
  private static final long PAUSE_MS = 50;

  private Gate() {}

  /** Passes at once when no directory is configured. */
  static void pass(String directory, String attemptId, Progressable progress) throws IOException {
    if (directory == null) {
      return;
    }
    Path gate = Path.of(directory);
    Files.createFile(gate.resolve(attemptId + REACHED_SUFFIX));
    long endNs = System.nanoTime() + DEADLINE.toNanos();
    while (!Files.exists(gate.resolve(OPEN))
        && !Files.exists(gate.resolve(attemptId + OPEN_SUFFIX))) {
      if (System.nanoTime() > endNs) {
        throw new IOException(
            "%s waited %d s at the gate %s".formatted(attemptId, DEADLINE.toSeconds(), gate));
      }
      progress.progress();
      try {
        Thread.sleep(PAUSE_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted at the gate " + gate, e);
      }
    }
  }

  /** Opens a gate for every task, from the test's side; idempotent, as the other one. */
  public static void open(Path directory) {
    create(directory.resolve(OPEN));
  }

  /** Opens a gate for one attempt only. */
  public static void open(Path directory, String attemptId) {
    create(directory.resolve(attemptId + OPEN_SUFFIX));
  }

  private static void create(Path file) {
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException e) {
      return; // it is open
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open the gate with " + file, e);
    }
  }
}
