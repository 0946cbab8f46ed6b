package io.sluice.it.lab;

import io.sluice.it.lab.Lab.LabException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A running guest. Its root file system is this machine's, read-only; it writes to its share.
 *
 * <p>One thread reads its console; the methods may be called from any other. The one who starts it
 * awaits or closes it. A guest that outlives its deadline is killed and reported by a {@link
 * LabException} with the end of its console.
 */
public final class Guest implements AutoCloseable {
  private static final int TAIL_LINES = 60;
  private static final int KERNEL_TAIL_LINES = 20;
  private static final long KILL_TIMEOUT_S = 20;

  private final GuestSpec spec;
  private final Process process;
  private final Thread reader;
  private final Path share;
  private final Path consoleFile;
  private final Deque<String> tail = new ArrayDeque<>();
  private final CountDownLatch spokenOrEnded = new CountDownLatch(1);
  private volatile boolean spoken;

  /** Else an interrupted command would leave an emulator behind. */
  private final Thread atExit = new Thread(this::kill, "kill-guest");

  private Guest(GuestSpec spec, Process process, Path share, Consumer<String> lines) {
    this.spec = spec;
    this.process = process;
    this.share = share;
    this.consoleFile = share.resolve("console-" + spec.name() + ".log");
    this.reader = new Thread(() -> read(lines), "console-of-" + spec.name());
    this.reader.setDaemon(true);
    this.reader.start();
    try {
      Runtime.getRuntime().addShutdownHook(atExit);
    } catch (IllegalStateException e) {
      kill();
      throw new LabException("guest " + spec.name() + " was started as this JVM was ending", e);
    }
  }

  /**
   * Boots a guest.
   *
   * @param share the one directory of this machine that it can write to
   * @param script what it runs, a file in the share
   * @param lines gets every line of its console
   */
  static Guest start(
      LabTools tools, GuestSpec spec, Path share, Path script, Consumer<String> lines) {
    List<String> command = spec.command(tools, share, script);
    try {
      Process process =
          builder(tools, command)
              .redirectErrorStream(true)
              .redirectInput(Path.of("/dev/null").toFile())
              .start();
      return new Guest(spec, process, share, lines);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command.get(0), e);
    }
  }

  /** Boots a guest whose console is this process's terminal, and waits for its end. */
  static int interactive(LabTools tools, GuestSpec spec, Path share, Path script) {
    try {
      return builder(tools, spec.command(tools, share, script)).inheritIO().start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start the guest", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted while a guest was running", e);
    }
  }

  /** Programs that the boot program starts by their names lie beside it. */
  private static ProcessBuilder builder(LabTools tools, List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .merge("PATH", tools.programs().toString(), (inherited, own) -> own + ":" + inherited);
    return builder;
  }

  /** Whether it says something within that time; if it ends before, it does not. */
  boolean speaksWithin(Duration time) {
    try {
      return spokenOrEnded.await(time.toSeconds(), TimeUnit.SECONDS) && spoken;
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
      throw new LabException("interrupted while guest " + spec.name() + " was booting", e);
    }
  }

  /** Waits for the script's end and returns its exit status. */
  public int await() {
    try {
      if (process.waitFor(spec.deadline().toSeconds(), TimeUnit.SECONDS)) {
        reader.join(TimeUnit.SECONDS.toMillis(KILL_TIMEOUT_S));
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
      throw new LabException("interrupted while guest " + spec.name() + " was running", e);
    }
    kill();
    throw new LabException(
        "guest %s did not end within %d s and was killed; the end of its console (%s):%n%s"
            .formatted(spec.name(), spec.deadline().toSeconds(), consoleFile, tail()));
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Pulls the plug: what the guest's memory held is gone, its NVDIMM files keep their bytes. */
  public void kill() {
    List<ProcessHandle> emulators = process.descendants().toList();
    process.destroyForcibly();
    emulators.forEach(ProcessHandle::destroyForcibly);
    try {
      for (ProcessHandle emulator : emulators) {
        emulator.onExit().get(KILL_TIMEOUT_S, TimeUnit.SECONDS);
      }
      reader.join(TimeUnit.SECONDS.toMillis(KILL_TIMEOUT_S));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new LabException("guest " + spec.name() + " could not be killed", e);
    }
  }

  /** The last lines of its console, then those of its kernel: a panic is told nowhere else. */
  public String tail() {
    synchronized (tail) {
      return String.join("\n", tail) + "\n" + kernelTail();
    }
  }

  private String kernelTail() {
    Path log = spec.kernelLog(share);
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
      List<String> last =
          lines.subList(Math.max(0, lines.size() - KERNEL_TAIL_LINES), lines.size());
      return "the end of %s:%n%s".formatted(log, String.join("\n", last));
    } catch (IOException e) {
      return "its kernel left no log: " + e;
    }
  }

  private void read(Consumer<String> lines) {
    try (BufferedReader console = process.inputReader(StandardCharsets.UTF_8);
        var file = Files.newBufferedWriter(consoleFile)) {
      for (String line = console.readLine(); line != null; line = console.readLine()) {
        spoken = true;
        spokenOrEnded.countDown();
        file.write(line + "\n");
        file.flush();
        synchronized (tail) {
          tail.add(line);
          if (tail.size() > TAIL_LINES) {
            tail.remove();
          }
        }
        lines.accept(line);
      }
    } catch (IOException e) {
      synchronized (tail) {
        tail.add("(the console ended: " + e + ")");
      }
    } finally {
      spokenOrEnded.countDown();
    }
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      kill();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException alreadyShuttingDown) {
      return; // the hook finds nothing alive
    }
  }
}
