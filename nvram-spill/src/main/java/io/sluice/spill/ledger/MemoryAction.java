package io.sluice.spill.ledger;

/** An action that the ledger's caller executes, in the order of decision. */
public sealed interface MemoryAction {
  /**
   * The answer to a holder's request.
   *
   * @param bytes granted; 0 if refused
   */
  record Answer(long holderId, long bytes) implements MemoryAction {}

  /**
   * A holder is to be told to give back.
   *
   * @param epoch rises with each notice to this holder
   * @param keepBytes most of that kind that it may hold
   */
  record Revoke(long holderId, long epoch, MemoryKind kind, long keepBytes)
      implements MemoryAction {}

  /**
   * Outputs of an application are to be moved out of memory.
   *
   * @param bytes at least this many
   * @param urgent whether a request waits for the memory; else it is kept free ahead
   */
  record Move(long moveId, String application, long bytes, boolean urgent)
      implements MemoryAction {}
}
