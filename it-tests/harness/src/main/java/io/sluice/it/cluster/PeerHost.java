package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Another machine that sees one directory of this one and runs every {@code *.job} script it finds
 * there, as the second guest of the lab does: {@code lab_peer} in {@code guest.sh}.
 *
 * <p>Thread-safe.
 */
public final class PeerHost {
  private final Path directory;
  private final AtomicInteger jobs = new AtomicInteger();

  /** The directory exists on both machines at the same path. */
  public PeerHost(Path directory) {
    this.directory = directory;
  }

  /** Waits until the other machine looks for jobs. */
  public void awaitReady(Duration deadline) {
    Poll.untilTrue(
        "the other host", deadline, () -> Optional.of(Files.exists(directory.resolve("ready"))));
  }

  /** Starts a command there, with both its streams in a file. */
  Process start(List<String> command, Map<String, String> environment, Path logFile) {
    String name = "job" + jobs.incrementAndGet();
    String variables =
        environment.entrySet().stream()
            .map(
                variable ->
                    "export %s=%s%n".formatted(variable.getKey(), quoted(variable.getValue())))
            .collect(Collectors.joining());
    String line = command.stream().map(PeerHost::quoted).collect(Collectors.joining(" "));
    submit(
        name,
        """
        %s%s >>%s 2>&1 </dev/null &
        echo $! >%s
        wait $!
        echo $? >%s
        """
            .formatted(
                variables,
                line,
                quoted(logFile.toString()),
                file(name, "pid"),
                file(name, "exit")));
    return new PeerProcess(name, file(name, "exit"), signal -> signal(name, signal));
  }

  /** Sends a signal to a process that {@link #start} started. */
  private void signal(String name, String signal) {
    submit(
        "signal" + jobs.incrementAndGet(),
        "kill -%s $(cat %s) 2>/dev/null || true # it may have ended by itself\n"
            .formatted(signal, file(name, "pid")));
  }

  /** A file about a job, by its kind: {@code pid}, {@code exit}. */
  private Path file(String name, String kind) {
    return directory.resolve(name + "." + kind);
  }

  private void submit(String name, String script) {
    try {
      Path written = Files.writeString(directory.resolve(name + ".new"), script);
      Files.move(written, directory.resolve(name + ".job"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot leave a job in " + directory, e);
    }
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
