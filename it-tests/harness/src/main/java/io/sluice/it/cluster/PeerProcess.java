package io.sluice.it.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A process of a {@link PeerHost}; its streams are in its log file. Thread-safe. */
final class PeerProcess extends Process {
  /** Not a process of this machine: no pid here is its. */
  static final long NO_PID = -1;

  private static final Duration EXIT_DEADLINE = Duration.ofMinutes(1);

  private final PeerHost host;
  private final String name;

  PeerProcess(PeerHost host, String name) {
    this.host = host;
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
    host.signal(name, "TERM");
  }

  @Override
  public Process destroyForcibly() {
    host.signal(name, "KILL");
    return this;
  }

  private Optional<Integer> exit() {
    Path file = host.file(name, "exit");
    try {
      String status = Files.exists(file) ? Files.readString(file).strip() : "";
      return status.isEmpty() ? Optional.empty() : Optional.of(Integer.valueOf(status));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }
}
