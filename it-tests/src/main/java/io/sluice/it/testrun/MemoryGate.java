package io.sluice.it.testrun;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * Lets tasks begin, in the order in which they come, when the machine has the memory that they
 * declare: what is free now covers it, and what was free at first covers it with all at work, which
 * may not have touched theirs yet. A task alone may begin whatever it declares.
 *
 * <p>Thread-safe. What {@link #enter} took the caller gives back with {@link #leave}. Waits have no
 * deadline of their own: {@link TaskRunner} interrupts them when the run's is over.
 */
final class MemoryGate {
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
