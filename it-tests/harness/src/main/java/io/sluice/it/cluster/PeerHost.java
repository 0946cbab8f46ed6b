package io.sluice.it.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
  /** The pid of its processes here: none of this machine has it. */
  static final long NO_PID = -1;

  private static final Duration EXIT_DEADLINE = Duration.ofMinutes(1);
  private static final AtomicInteger JOBS = new AtomicInteger(); // files of earlier ones stay

  private final Path directory;

  /** The directory exists on both machines at the same path. */
  public PeerHost(Path directory) {
    this.directory = directory;
  }

  /** Waits until the other machine looks for jobs. */
  public void awaitReady(Duration deadline) {
    Poll.untilTrue("the other host", deadline, () -> Files.exists(directory.resolve("ready")));
  }

  /** Starts a command there, with both its streams in a file. */
  public Process start(List<String> command, Map<String, String> environment, Path logFile) {
    String name = "job" + JOBS.incrementAndGet();
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
    return new PeerProcess(name);
  }

  /** Sends a signal to a process that {@link #start} started. */
  private void signal(String name, String signal) {
    submit(
        "signal" + JOBS.incrementAndGet(),
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

  /** A process of the other host; its streams are in its log file. Thread-safe. */
  private final class PeerProcess extends Process {
    private final String name;

    PeerProcess(String name) {
      this.name = name;
    }

    @Override
    public OutputStream getOutputStream() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public InputStream getInputStream() {
      return InputStream.nullInputStream();
    }

    @Override
    public InputStream getErrorStream() {
      return InputStream.nullInputStream();
    }

    @Override
    public long pid() {
      return NO_PID;
    }

    @Override
    public int waitFor() {
      return Poll.until(name + " of the other host to end", EXIT_DEADLINE, this::exit);
    }

    @Override
    public int exitValue() {
      return exit().orElseThrow(() -> new IllegalThreadStateException(name + " is still running"));
    }

    @Override
    public void destroy() {
      signal(name, "TERM");
    }

    @Override
    public Process destroyForcibly() {
      signal(name, "KILL");
      return this;
    }

    private Optional<Integer> exit() {
      Path exitFile = file(name, "exit");
      try {
        String status = Files.exists(exitFile) ? Files.readString(exitFile).strip() : "";
        return status.isEmpty() ? Optional.empty() : Optional.of(Integer.valueOf(status));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + exitFile, e);
      }
    }
  }
}
