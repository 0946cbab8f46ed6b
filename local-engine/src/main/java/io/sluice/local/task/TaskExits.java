package io.sluice.local.task;

import java.security.Permission;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a task that ends the process: of {@code System.exit} in user code. Java lets it
 * be refused by a security manager alone, which newer releases have no more. Without one, the
 * process at least says who ended it.
 *
 * <p>Thread contract: safe from any thread.
 */
@SuppressWarnings("removal") // there is nothing else
final class TaskExits {
  private static final Logger LOG = LoggerFactory.getLogger(TaskExits.class);

  /** Of all tasks of the process, and of the threads that they make. */
  private static final ThreadGroup TASKS = new ThreadGroup(topGroup(), "sluice tasks");

  private static boolean said; // these two guarded by the class
  private static boolean refused;

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
      Runtime.getRuntime().addShutdownHook(new Thread(TaskExits::say, "sluice-exit"));
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
                + ". On a cluster that fails the task alone; so does sluice.local.isolation=task"
                + " here, on Java 17.");
      }
    }
  }

  /** Fails tasks that end the process from now on, where this Java can do that. */
  static synchronized void refuse() {
    if (refused) {
      return;
    }
    refused = true;
    if (System.getSecurityManager() != null) {
      LOG.warn("This process has a security manager; a task's System.exit is left to that");
      return;
    }
    try {
      System.setSecurityManager(new Guard());
    } catch (UnsupportedOperationException e) {
      LOG.warn("This Java has no means to refuse a task's System.exit, which ends the process", e);
    }
  }

  /** Refuses that, and nothing else. */
  private static final class Guard extends SecurityManager {
    @Override
    public void checkExit(int status) {
      if (TASKS.parentOf(Thread.currentThread().getThreadGroup())) {
        throw new SecurityException("a task has called System.exit(" + status + ")");
      }
    }

    @Override
    public void checkPermission(Permission permission) {
      // Everything else is allowed.
    }

    @Override
    public void checkPermission(Permission permission, Object context) {
      // Everything else is allowed.
    }
  }
}
