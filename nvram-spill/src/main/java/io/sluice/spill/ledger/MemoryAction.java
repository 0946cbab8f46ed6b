package io.sluice.spill.ledger;

/** What is to be done, in the order in which it was decided. */
public sealed interface MemoryAction {
  /**
   * The answer to what a holder has asked for.
   *
   * @param bytes what it has now of that; 0 if nothing
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
   * @param bytes at least so much
   * @param urgent whether somebody wants the memory, and it is not only kept free in time
   */
  record Move(long moveId, String application, long bytes, boolean urgent)
      implements MemoryAction {}
}
