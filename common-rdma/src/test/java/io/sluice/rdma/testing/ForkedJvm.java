package io.sluice.rdma.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A {@code main} of the test class path in a process of its own, talked to by lines.
 *
 * <p>Thread contract: one thread. Ownership: the test closes it, which kills what is left. Failure:
 * an {@link AssertionError} with the process's log, for a line that does not come in time.
 */
public final class ForkedJvm implements AutoCloseable {
  /** Properties that it has from this process. */
  private static final List<String> HANDED_ON =
      List.of("log4j.configuration", "sluice.lab.transport");

  private static final long LIMIT_S = 150;

  private final Process process;
  private final Path log;
  private final Writer input;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  /**
   * Starts it.
   *
   * @param wrapper a command that runs the command appended to it; empty for none
   * @param log gets what it writes to its standard error
   */
  public ForkedJvm(List<String> wrapper, Path log, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // On an emulated processor the second compiler costs more than it gives, and to verify classes
    // is a third of a start.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
    command.add("-XX:ErrorFile=" + log + ".crash");
    for (String property : HANDED_ON) {
      if (System.getProperty(property) != null) {
        command.add("-D" + property + "=" + System.getProperty(property));
      }
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    this.log = log;
    try {
      process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    input = process.outputWriter(StandardCharsets.UTF_8);
    Thread reader = new Thread(this::readLines, "lines-of-" + main.getSimpleName());
    reader.setDaemon(true);
    reader.start();
  }

  private void readLines() {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      lines.add("unreadable: " + e);
    }
  }

  /** Waits for a line that starts with a word, and returns what follows it. */
  public String awaitLine(String word) {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
    try {
      while (true) {
        String line = lines.poll(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (line == null) {
          throw new AssertionError("no line \"" + word + "\" from " + this);
        }
        if (line.startsWith(word)) {
          return line.substring(word.length()).strip();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Sends a line. */
  public void say(String line) {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      throw new AssertionError("cannot talk to " + this, e);
    }
  }

  /** Asks it to end, and returns its exit status. */
  public int end() {
    try {
      input.close();
    } catch (IOException e) {
      throw new AssertionError("cannot talk to " + this, e);
    }
    return awaitExit();
  }

  /** SIGKILL: the kernel takes everything from it. */
  public void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  private int awaitExit() {
    try {
      if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
        throw new AssertionError("does not end: " + this);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** SIGSTOP: it hangs, and what the kernel does for it goes on. */
  public void stop() {
    Commands.run("kill", "-STOP", Long.toString(process.pid()));
  }

  /** SIGCONT. */
  public void goOn() {
    Commands.run("kill", "-CONT", Long.toString(process.pid()));
  }

  /** What it wrote to its standard error. */
  public String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public String toString() {
    return "process "
        + process.pid()
        + (process.isAlive() ? ", which runs" : ", which ended with " + process.exitValue())
        + ", its log:\n"
        + log();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
