package io.sluice.it.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A process of a {@link PeerHost}; its streams are in its log file. Thread-safe. */
final class PeerProcess extends Process {
  /** Not a process of this machine: no pid here is its. */
  static final long NO_PID = -1;

  private static final Duration EXIT_DEADLINE = Duration.ofMinutes(1);

  private final String name;
  private final Path exitFile;
  private final Consumer<String> kill;

  /**
   * Has started there.
   *
   * @param exitFile will hold its exit status
   * @param kill sends it a signal, by its name
   */
  PeerProcess(String name, Path exitFile, Consumer<String> kill) {
    this.name = name;
    this.exitFile = exitFile;
    this.kill = kill;
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
    kill.accept("TERM");
  }

  @Override
  public Process destroyForcibly() {
    kill.accept("KILL");
    return this;
  }

  private Optional<Integer> exit() {
    try {
      String status = Files.exists(exitFile) ? Files.readString(exitFile).strip() : "";
      return status.isEmpty() ? Optional.empty() : Optional.of(Integer.valueOf(status));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + exitFile, e);
    }
  }
}
