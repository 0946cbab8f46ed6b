package io.sluice.it.cluster;

import io.sluice.it.cluster.ProcessTable.ProcessRights;
import io.sluice.it.cluster.ProcessTable.ProcessUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One daemon of the cluster: a JVM of its own that can be started, stopped, killed and started
 * again.
 *
 * <p>Not thread-safe, except {@link #close}. Owned and closed by its cluster. A daemon that died is
 * reported by {@link #requireAlive} with the end of its log.
 */
public final class Daemon implements AutoCloseable {
  private static final Duration STOP_DEADLINE = Duration.ofMinutes(1);
  private static final int TAIL_LINES = 40;

  private final String name;
  private final Function<Path, Process> program;
  private final Path logFile;
  private volatile Process process;

  /** The program is given the log file and starts. */
  public Daemon(String name, Function<Path, Process> program, Path logFile) {
    this.name = name;
    this.program = program;
    this.logFile = logFile;
  }

  /** The program is a command, whose streams both go to the log file. */
  public Daemon(String name, ProcessBuilder command, Path logFile) {
    this(name, log -> start(command, log), logFile);
  }

  private static Process start(ProcessBuilder command, Path log) {
    try {
      return command.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command.command(), e);
    }
  }

  /** Starts it. */
  public void start() {
    process = program.apply(logFile);
  }

  public long pid() {
    return process.pid();
  }

  public Path logFile() {
    return logFile;
  }

  /**
   * Processor time this daemon used since its last start, without its children; 0 when ended, or
   * when it is another host's.
   */
  public long cpuMs() {
    return process == null || pid() == PeerHost.NO_PID ? 0 : ProcessTable.cpuMs(pid());
  }

  /** The same with its children that have ended, and what all of them wrote. */
  ProcessUse useWithEndedChildren() {
    return process == null || pid() == PeerHost.NO_PID
        ? ProcessUse.NONE
        : ProcessTable.useWithEndedChildren(pid());
  }

  /** Whether it has a child, waited for or not. */
  boolean hasChildren() {
    return process != null && process.children().findAny().isPresent();
  }

  /** Its user and capabilities right now. */
  public ProcessRights rights() {
    return ProcessTable.rights(pid());
  }

  /** Fails if the daemon died by itself; one that was never started, or was ended, is no error. */
  public void requireAlive() {
    if (process != null && !process.isAlive()) {
      throw new ClusterException(
          "%s is dead (exit status %s); the end of %s:%n%s"
              .formatted(name, process.exitValue(), logFile, LogTail.of(logFile, TAIL_LINES)));
    }
  }

  /** Ends the daemon as {@code kill -9} does; nothing to do when it has been ended. */
  void killHard() {
    if (process != null) {
      process.destroyForcibly();
      awaitExit();
    }
  }

  /** Asks the daemon to end, as its stop script does, and waits until it has. */
  void stop() {
    process.destroy();
    awaitExit();
  }

  /** Asks a daemon that was started to end, without waiting for it. */
  public void requestStop() {
    if (process != null) {
      process.destroy();
    }
  }

  /** Ends the daemon, by force if asking does not help. */
  @Override
  public void close() {
    if (process == null) {
      return;
    }
    process.destroy();
    try {
      if (!process.waitFor(STOP_DEADLINE.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private void awaitExit() {
    try {
      if (!process.waitFor(STOP_DEADLINE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new ClusterException(
            "%s (pid %d) did not end within %d s; see %s"
                .formatted(name, pid(), STOP_DEADLINE.toSeconds(), logFile));
      }
      process = null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while " + name + " was ending", e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
