package io.sluice.node.memory;

import io.sluice.node.ledger.Role;
import io.sluice.spill.format.OutputId;

/**
 * Who borrows memory of a node, as it says itself.
 *
 * @param task as its engine names it; empty if it has not said
 * @param sortBytes what it sorts in without asking for memory of the node
 * @param canGoElsewhere whether it has written nothing yet and may use another shuffle
 */
public record Borrower(String task, Role role, long sortBytes, boolean canGoElsewhere) {
  /** A process of which no more is known. */
  public static final Borrower PROCESS = new Borrower("", Role.EXECUTOR, 0, false);

  public Borrower {
    if (!task.isEmpty()) {
      OutputId.check("task", task); // it is shown to those who watch the node
    }
    if (sortBytes < 0) {
      throw new IllegalArgumentException("a sort buffer of " + sortBytes + " bytes");
    }
  }

  /** A map task with a sort buffer of its own, which may use another shuffle. */
  public static Borrower map(String task, long sortBytes) {
    return new Borrower(task, Role.MAP, sortBytes, true);
  }

  /** A reduce task. */
  public static Borrower reduce(String task) {
    return new Borrower(task, Role.REDUCE, 0, false);
  }

  /** The same one, which has nowhere else to go. */
  public Borrower staying() {
    return new Borrower(task, role, sortBytes, false);
  }
}
