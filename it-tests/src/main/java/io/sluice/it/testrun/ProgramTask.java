package io.sluice.it.testrun;

import io.sluice.it.cluster.LogTail;
import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.it.testrun.TestTask.TaskResult;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Tests that another process runs, such as Maven or JUnit's launcher.
 *
 * <p>Thread contract: that of {@link TestTask}; a thread of its own reads what the process says.
 * The process is ended with all that it has started when it has run too long, when the task is
 * interrupted, or when this JVM ends. Failure: in its result, with the end of its log.
 *
 * @param memoryMb what it may need with all that it starts
 * @param log gets everything that the process says
 * @param feed what to show of a line
 * @param reports reads what the process has left
 * @param reportsWithin reads what other runners have left that its tests have started
 */
record ProgramTask(
    String name,
    int memoryMb,
    ProcessBuilder program,
    Path log,
    Duration deadline,
    Function<String, Optional<String>> feed,
    Supplier<TestReports> reports,
    Supplier<TestReports> reportsWithin)
    implements TestTask {
  private static final Duration END_DEADLINE = Duration.ofSeconds(40);
  private static final int TAIL_LINES = 40;

  /** The exit status by which runners say that. */
  private static final int TESTS_FAILED = 1;

  @Override
  public TaskResult run(Console console) {
    Optional<String> problem = await(console);
    problem.ifPresent(
        what -> console.say(what + "; the end of " + log + ":\n" + LogTail.of(log, TAIL_LINES)));
    TestReports own = reports.get();
    TestReports within = reportsWithin.get();
    boolean testsSayIt = !own.failed().isEmpty() || !within.failed().isEmpty();
    return TaskResult.ofClasses(
        name,
        own,
        within,
        problem.filter(what -> !testsSayIt || !what.equals(ended(TESTS_FAILED))));
  }

  private static String ended(int status) {
    return "ended with exit status " + status;
  }

  /** Why the process did not end well; empty if it did. */
  private Optional<String> await(Console console) {
    Process process = start();
    Thread atExit = new Thread(() -> end(process), "end-" + name);
    try {
      Runtime.getRuntime().addShutdownHook(atExit);
    } catch (IllegalStateException e) {
      end(process);
      return Optional.of("started as this JVM was ending");
    }
    Thread reader = new Thread(() -> read(process, console), "output-of-" + name);
    reader.setDaemon(true);
    reader.start();
    try {
      if (!process.waitFor(deadline.toSeconds(), TimeUnit.SECONDS)) {
        return Optional.of("not done after %d s and ended".formatted(deadline.toSeconds()));
      }
      reader.join(END_DEADLINE.toMillis());
      int status = process.exitValue();
      return status == 0 ? Optional.empty() : Optional.of(ended(status));
    } catch (InterruptedException e) {
      end(process); // before the interrupt is passed on, which would shorten this
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    } finally {
      end(process);
      TaskRunner.removeHook(atExit);
    }
  }

  private Process start() {
    try {
      Files.createDirectories(log.getParent());
      return program.redirectErrorStream(true).redirectInput(Path.of("/dev/null").toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + program.command(), e);
    }
  }

  private void read(Process process, Console console) {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        BufferedWriter file = Files.newBufferedWriter(log)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        file.write(line);
        file.newLine();
        file.flush();
        feed.apply(line).ifPresent(console::say);
      }
    } catch (IOException e) {
      console.say("what it says can no longer be read: " + e);
    }
  }

  /** Asks it to end, which lets it close its clusters, and kills what is there after that. */
  private static void end(Process process) {
    List<ProcessHandle> started = process.descendants().toList();
    process.destroy();
    try {
      process.waitFor(END_DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    for (ProcessHandle handle : started) {
      List<ProcessHandle> later = handle.descendants().toList();
      handle.destroyForcibly();
      later.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
