package io.sluice.it.report;

import io.sluice.it.job.RunningJob.JobProgress;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Says what is being done and how long it took. On a terminal a running step has one line that
 * updates itself; elsewhere it prints a line now and then.
 *
 * <p>One step at a time; progress may come from another thread. Consoles made by {@link #tagged}
 * share the output and may be used side by side: whole lines are written, each with its tag.
 */
public final class Console {
  private static final long LINE_EVERY_NS = TimeUnit.SECONDS.toNanos(10);

  private final PrintStream out;
  private final boolean terminal;
  private final String tag;
  private long lastLineNs;

  public Console(PrintStream out, boolean terminal) {
    this(out, terminal, "");
  }

  private Console(PrintStream out, boolean terminal, String tag) {
    this.out = out;
    this.terminal = terminal;
    this.tag = tag;
  }

  /** The same output, for one of several that are at work: every line starts with its name. */
  public Console tagged(String name) {
    return new Console(out, false, "%-12s| ".formatted(name));
  }

  /** The standard output; a terminal if both ends of this process are. */
  public static Console standard() {
    return new Console(System.out, System.console() != null);
  }

  /** Does a step that has no percentages of its own. */
  public <T> T step(String name, java.util.function.Supplier<T> work) {
    return job(name, progress -> work.get());
  }

  /** Does a step that is a job. */
  public <T> T job(String name, Function<JobProgress, T> work) {
    long startNs = System.nanoTime();
    lastLineNs = startNs;
    begin(name);
    T result = work.apply((map, reduce) -> update(name, map, reduce, startNs));
    end("%-32s %6.1f s".formatted(name, (System.nanoTime() - startNs) / 1e9));
    return result;
  }

  /** Writes lines, which nobody else's lines come between. */
  public void say(String text) {
    String lines = tag.isEmpty() ? text : tag + text.replace("\n", "\n" + tag);
    synchronized (out) {
      out.println(lines);
      out.flush();
    }
  }

  /** The text in red on a terminal. */
  public String red(String text) {
    return terminal ? "\u001b[31m" + text + "\u001b[0m" : text;
  }

  private synchronized void begin(String name) {
    if (terminal) {
      out.print("%-32s ...".formatted(name));
      out.flush();
    }
  }

  private synchronized void update(String name, int map, int reduce, long startNs) {
    long nowNs = System.nanoTime();
    String line =
        "%-32s map %3d %% reduce %3d %%  %4.0f s"
            .formatted(name, map, reduce, (nowNs - startNs) / 1e9);
    if (terminal) {
      out.print("\r" + line);
    } else if (nowNs - lastLineNs > LINE_EVERY_NS) {
      lastLineNs = nowNs;
      out.println(line);
    }
    out.flush();
  }

  private synchronized void end(String line) {
    out.println(terminal ? "\r" + line + " ".repeat(30) : line);
    out.flush();
  }
}
