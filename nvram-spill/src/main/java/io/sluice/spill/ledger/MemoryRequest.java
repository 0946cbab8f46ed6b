package io.sluice.spill.ledger;

/**
 * A holder's request that has no answer yet.
 *
 * @param number rises with each
 * @param bytes requested of that kind
 * @param chargeBytes bytes of free memory that it takes, room for runs included
 * @param hasBytes granted already, out of its room
 * @param loan whether it goes beyond its holder's claim
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
   * The order of grants: sorting before writing, and writing before receiving. Requests of last
   * resort rank with sorting, since their tasks fail otherwise. Loans rank with writing: a sort
   * buffer works without one. No output is moved for a loan, so it must not take memory that was
   * freed for a writer.
   */
  int rank() {
    return switch (kind) {
      case RECEIVE -> 2;
      case SORT -> loan ? 1 : 0;
      default -> patience == WaitLimit.LAST ? 0 : 1;
    };
  }
}
