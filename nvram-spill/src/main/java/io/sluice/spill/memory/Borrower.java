package io.sluice.spill.memory;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.ledger.HolderRole;

/**
 * Who borrows memory of a node, as it says itself.
 *
 * @param task as its engine names it; empty if it has not said
 * @param sortBytes what it sorts in without asking for memory of the node
 */
public record Borrower(String task, HolderRole role, long sortBytes) {
  /** A process of which no more is known. */
  public static final Borrower PROCESS = new Borrower("", HolderRole.EXECUTOR, 0);

  public Borrower {
    if (!task.isEmpty()) {
      OutputId.check("task", task); // it is shown to those who watch the node
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
