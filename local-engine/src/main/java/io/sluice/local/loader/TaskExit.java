package io.sluice.local.loader;

import java.lang.StackWalker.Option;

/**
 * Thrown instead of ending the process, where a task calls {@code System.exit} or the same of
 * {@link Runtime}. The attempt fails, whatever catches this, and whichever thread of the task has
 * called it: so it does on a cluster, where its process ends.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class TaskExit extends Error {
  private static final long serialVersionUID = 1;
  private static final StackWalker CALLER = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

  /** A class loader that tells whose task its classes are. */
  interface Slot {
    /** The task has ended the process, in any of its threads. */
    void exits(TaskExit how);
  }

  private TaskExit(String call, int status) {
    super("a task has called " + call + "(" + status + ")");
  }

  /** In place of {@link System#exit}. */
  public static void exit(int status) {
    throw by(CALLER.getCallerClass(), new TaskExit("System.exit", status));
  }

  /** In place of {@link Runtime#exit}. */
  public static void exit(Runtime process, int status) {
    throw by(CALLER.getCallerClass(), new TaskExit("Runtime.exit", status));
  }

  /** In place of {@link Runtime#halt}. */
  public static void halt(Runtime process, int status) {
    throw by(CALLER.getCallerClass(), new TaskExit("Runtime.halt", status));
  }

  private static TaskExit by(Class<?> caller, TaskExit how) {
    Slot slot = SlotOwners.of(caller.getClassLoader(), Slot.class);
    if (slot != null) {
      slot.exits(how);
    }
    return how;
  }
}
