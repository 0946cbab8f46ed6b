package io.sluice.node.ledger;

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
record Ask(
    long number,
    Holder holder,
    Kind kind,
    long bytes,
    long chargeBytes,
    long hasBytes,
    boolean loan,
    Patience patience,
    long untilMs) {
  /** The kinds in the order in which they are granted. */
  int rank() {
    return kind == Kind.RECEIVE ? 1 : 0;
  }
}
