package io.sluice.local.oracle;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;

/**
 * What goes wrong in the user's code of a {@link FaultyJob}, and when.
 *
 * <p>Thread contract: safe from any thread; one job at a time has faults.
 */
final class Faults {
  static final String REASON = "on purpose at ";

  private static final Map<Step, Fault> ARMED = new EnumMap<>(Step.class);

  /** Where the engine, or Hadoop's task code, calls the user's. */
  enum Step {
    SPLITS,
    CHECK_OUTPUT,
    SETUP_JOB,
    SETUP_TASK,
    READER_OPEN,
    READER_NEXT,
    READER_CLOSE,
    MAP_SETUP,
    MAP,
    MAP_CLEANUP,
    PARTITION,
    KEY_WRITE,
    KEY_READ,
    COMPARE,
    COMBINE,
    REDUCE_SETUP,
    REDUCE,
    REDUCE_CLEANUP,
    WRITER_OPEN,
    WRITE,
    WRITER_CLOSE,
    NEEDS_COMMIT,
    COMMIT_TASK,
    ABORT_TASK,
    COMMIT_JOB,
    ABORT_JOB
  }

  /** What happens there. */
  interface Action {
    /** Now. */
    void happen(Step step) throws IOException;
  }

  /** Kinds of it that a test draws from. */
  enum Kind implements Action {
    IO_EXCEPTION {
      @Override
      public void happen(Step step) throws IOException {
        throw new IOException(REASON + step);
      }
    },
    RUNTIME_EXCEPTION {
      @Override
      public void happen(Step step) {
        throw new IllegalStateException(REASON + step);
      }
    },
    ERROR {
      @Override
      public void happen(Step step) {
        throw new NoClassDefFoundError(REASON + step);
      }
    },
    OUT_OF_MEMORY {
      @Override
      public void happen(Step step) {
        throw new OutOfMemoryError(REASON + step);
      }
    }
  }

  private static final class Fault {
    private final Action action;
    private int callsBefore;
    private int times;

    Fault(Action action, int callsBefore, int times) {
      this.action = action;
      this.callsBefore = callsBefore;
      this.times = times;
    }

    boolean isDue() {
      if (callsBefore > 0) {
        callsBefore--;
        return false;
      }
      return times-- > 0;
    }
  }

  private Faults() {}

  /** From now on nothing goes wrong. */
  static synchronized void none() {
    ARMED.clear();
  }

  /**
   * Lets something go wrong.
   *
   * @param callsBefore that go well
   * @param times that it happens
   */
  static synchronized void at(Step step, Action action, int callsBefore, int times) {
    ARMED.put(step, new Fault(action, callsBefore, times));
  }

  /** Whether all that was to happen has. */
  static synchronized boolean haveHappened() {
    return ARMED.values().stream().noneMatch(fault -> fault.times > 0);
  }

  private static synchronized Action due(Step step) {
    Fault fault = ARMED.get(step);
    return fault != null && fault.isDue() ? fault.action : null;
  }

  /** The user's code is there. */
  static void reached(Step step) throws IOException {
    Action action = due(step);
    if (action != null) {
      action.happen(step);
    }
  }

  /** The same where it may throw nothing that is checked. */
  static void reachedUnchecked(Step step) {
    try {
      reached(step);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
