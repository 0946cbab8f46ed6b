package io.sluice.it.testrun;

import io.sluice.it.report.Console;
import io.sluice.it.testrun.TestTask.TaskResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Runs tasks side by side, so many at a time and as memory allows, in their order.
 *
 * <p>Thread contract: one thread calls {@link #run}, which returns when no task is at work any
 * more. Failure: a task that throws, or is not done when the time is over, is broken in the result;
 * it takes no other one with it. Tasks that had not begun by then are broken too.
 *
 * @param availableMb memory that programs can have without any other being moved out
 */
record TaskRunner(int workers, Duration deadline, LongSupplier availableMb) {
  /** In which an interrupted task ends what it has started. */
  private static final Duration END_DEADLINE = Duration.ofMinutes(3);

  /** Results in the order of the tasks. */
  List<TaskResult> run(List<TestTask> tasks, Console console) {
    long endNs = System.nanoTime() + deadline.toNanos();
    MemoryGate memory = new MemoryGate(availableMb);
    ExecutorService executor = Executors.newFixedThreadPool(workers);
    // Else the next task would begin as the JVM ends those at work.
    Thread atExit = new Thread(executor::shutdownNow, "no-more-tasks");
    Runtime.getRuntime().addShutdownHook(atExit);
    List<Future<TaskResult>> running = new ArrayList<>();
    for (TestTask task : tasks) {
      running.add(executor.submit(() -> run(task, memory, console)));
    }
    executor.shutdown();
    try {
      if (!executor.awaitTermination(endNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        console.say("FAILED:  not done %d s after the build".formatted(deadline.toSeconds()));
        executor.shutdownNow();
        executor.awaitTermination(END_DEADLINE.toSeconds(), TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      executor.shutdownNow();
      Thread.currentThread().interrupt();
    }
    removeHook(atExit);
    List<TaskResult> results = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      results.add(result(tasks.get(i).name(), running.get(i)));
    }
    return results;
  }

  /** Removes a hook, unless this JVM is ending, whose hooks have then begun. */
  static void removeHook(Thread atExit) {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException alreadyShuttingDown) {
      return; // it has done its work
    }
  }

  private static TaskResult run(TestTask task, MemoryGate memory, Console console)
      throws InterruptedException {
    Console tagged = console.tagged(task.name());
    int memoryMb = task.memoryMb();
    memory.enter(memoryMb, () -> tagged.say("waits for %d MiB of memory".formatted(memoryMb)));
    try {
      return run(task, tagged);
    } finally {
      memory.leave(memoryMb);
    }
  }

  private static TaskResult run(TestTask task, Console tagged) {
    long startNs = System.nanoTime();
    tagged.say("begins");
    TaskResult result = task.run(tagged);
    tagged.say(
        "%s, %.0f s: %s"
            .formatted(
                result.passed() ? "passed" : "FAILED",
                (System.nanoTime() - startNs) / 1e9,
                result.reports().count()));
    return result;
  }

  private static TaskResult result(String name, Future<TaskResult> task) {
    if (!task.isDone()) {
      return TaskResult.broken(name, "not done in time");
    }
    try {
      return task.get(0, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof InterruptedException) {
        return TaskResult.broken(name, "not done in time");
      }
      return TaskResult.broken(name, e.getCause().toString());
    } catch (TimeoutException e) {
      return TaskResult.broken(name, "not done in time");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return TaskResult.broken(name, "interrupted");
    }
  }

  /**
   * Lets tasks begin, in the order in which they come, when the machine has the memory that they
   * declare: what is free now covers it, and what was free at first covers it with all at work,
   * which may not have touched theirs yet. A task alone may begin whatever it declares.
   *
   * <p>Thread-safe. The caller gives back by {@link #leave} what {@link #enter} took. Waits have no
   * deadline of their own: {@link TaskRunner} interrupts them when the run's is over.
   */
  static final class MemoryGate {
    /** Others than the tasks give memory back without a word. */
    private static final long LOOK_AGAIN_MS = 1000;

    private final LongSupplier availableMb;
    private final long atFirstMb;
    private final Deque<Object> waiting = new ArrayDeque<>();
    private int atWork;
    private long declaredMb;

    /** Reads what is free now. */
    MemoryGate(LongSupplier availableMb) {
      this.availableMb = availableMb;
      this.atFirstMb = availableMb.getAsLong();
    }

    /** Waits for that much; calls back, before it does, if it has to. */
    synchronized void enter(int memoryMb, Runnable hasToWait) throws InterruptedException {
      Object turn = new Object();
      waiting.add(turn);
      try {
        if (!mayEnter(turn, memoryMb)) {
          hasToWait.run();
        }
        while (!mayEnter(turn, memoryMb)) {
          wait(LOOK_AGAIN_MS);
        }
        atWork++;
        declaredMb += memoryMb;
      } finally {
        waiting.remove(turn);
        notifyAll();
      }
    }

    /** Gives it back. */
    synchronized void leave(int memoryMb) {
      atWork--;
      declaredMb -= memoryMb;
      notifyAll();
    }

    private boolean mayEnter(Object turn, int memoryMb) {
      return waiting.peek() == turn
          && (atWork == 0
              || (declaredMb + memoryMb <= atFirstMb && memoryMb <= availableMb.getAsLong()));
    }
  }
}
