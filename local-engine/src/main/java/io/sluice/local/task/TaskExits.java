package io.sluice.local.task;

import io.sluice.rdma.threads.DaemonThreads;
import java.util.Arrays;

/**
 * Has the process say so if a task ends it: with {@code sluice.local.isolation=none}, or by calls
 * that a slot's class loader does not see, such as one by reflection.
 *
 * <p>Thread contract: safe from any thread.
 */
final class TaskExits {
  /** Of all tasks of the process, and of the threads that they make. */
  private static final ThreadGroup TASKS = new ThreadGroup(topGroup(), "sluice tasks");

  private static boolean said; // guarded by the class

  private TaskExits() {}

  /** One of whoever is first to submit a job might be a daemon, which ends with its threads. */
  private static ThreadGroup topGroup() {
    ThreadGroup top = Thread.currentThread().getThreadGroup();
    while (top.getParent() != null) {
      top = top.getParent();
    }
    return top;
  }

  /** For threads of tasks. */
  static ThreadGroup group() {
    return TASKS;
  }

  /** Has the process say so, if a task ends it. */
  static synchronized void sayWhoExits() {
    if (!said) {
      said = true;
      Runtime.getRuntime().addShutdownHook(DaemonThreads.create("sluice-exit", TaskExits::say));
    }
  }

  private static void say() {
    Thread[] threads = new Thread[TASKS.activeCount() + 1];
    int count = TASKS.enumerate(threads);
    for (Thread thread : Arrays.copyOf(threads, count)) {
      boolean exits =
          Arrays.stream(thread.getStackTrace())
              .anyMatch(
                  at ->
                      at.getClassName().equals(Runtime.class.getName())
                          && at.getMethodName().equals("exit"));
      if (exits) { // the log may be closed already
        System.err.println(
            "The process ends because a task has called System.exit, in the thread "
                + thread.getName()
                + ". On a cluster that fails the task alone; so it does here with"
                + " sluice.local.isolation=slot.");
      }
    }
  }
}
