package io.sluice.local.loader;

import java.lang.StackWalker.Option;

/**
 * Thrown if a task calls {@code System.exit} or the like of {@link Runtime}, instead of ending the
 * process. The attempt fails even if the task catches this error, and whichever thread has made the
 * call, as on a cluster, where the task's process ends.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class TaskExit extends Error {
  private static final long serialVersionUID = 1;
  private static final StackWalker CALLER = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

  private TaskExit(String call, int status) {
    super("a task has called " + call + "(" + status + ")");
  }

  /** Replaces {@link System#exit}. */
  public static void exit(int status) {
    throw by(CALLER.getCallerClass(), new TaskExit("System.exit", status));
  }

  /** Replaces {@link Runtime#exit}. */
  public static void exit(Runtime process, int status) {
    throw by(CALLER.getCallerClass(), new TaskExit("Runtime.exit", status));
  }

  /** Replaces {@link Runtime#halt}. */
  public static void halt(Runtime process, int status) {
    throw by(CALLER.getCallerClass(), new TaskExit("Runtime.halt", status));
  }

  private static TaskExit by(Class<?> caller, TaskExit how) {
    SlotLoader slot = SlotOwners.of(caller.getClassLoader());
    if (slot != null) {
      slot.exits(how);
    }
    return how;
  }
}
