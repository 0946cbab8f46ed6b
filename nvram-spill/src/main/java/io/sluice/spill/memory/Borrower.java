package io.sluice.spill.memory;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.ledger.Holding.HolderRole;

/**
 * A task that borrows memory of a node, as it introduces itself.
 *
 * @param task its name in the engine; empty if it is not known
 * @param sortBytes a sort buffer of its own
 */
public record Borrower(String task, HolderRole role, long sortBytes) {
  /** A process that has not introduced itself. */
  public static final Borrower PROCESS = new Borrower("", HolderRole.EXECUTOR, 0);

  public Borrower {
    if (!task.isEmpty()) {
      OutputId.check("task", task); // metrics and logs show it
    }
    if (sortBytes < 0) {
      throw new IllegalArgumentException("a sort buffer of " + sortBytes + " bytes");
    }
  }

  /** A map task with a sort buffer of its own. */
  public static Borrower map(String task, long sortBytes) {
    return new Borrower(task, HolderRole.MAP, sortBytes);
  }

  /** A reduce task. */
  public static Borrower reduce(String task) {
    return new Borrower(task, HolderRole.REDUCE, 0);
  }
}
