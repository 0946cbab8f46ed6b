package io.sluice.spill.ledger;

/**
 * What a holder has asked for and has no answer to.
 *
 * @param number rises with each
 * @param bytes what it gets of that kind
 * @param chargeBytes what that takes from what is free, room for runs included
 * @param hasBytes what it has got already, out of its room
 * @param loan whether it is beyond what its holder may claim
 * @param untilMs when it is refused if it has not been granted
 */
record MemoryRequest(
    long number,
    Holder holder,
    MemoryKind kind,
    long bytes,
    long chargeBytes,
    long hasBytes,
    boolean loan,
    WaitLimit patience,
    long untilMs) {
  /**
   * In which order they are granted: what is sorted before what is written, and that before what is
   * received. With what is sorted come last resorts, which are lost otherwise. Loans come with what
   * is written: a sort buffer does without one, and nothing is moved out of memory for it, so it is
   * not to get what was moved for a writer.
   */
  int rank() {
    return switch (kind) {
      case RECEIVE -> 2;
      case SORT -> loan ? 1 : 0;
      default -> patience == WaitLimit.LAST ? 0 : 1;
    };
  }
}
