package io.sluice.spill.ledger;

import java.util.function.Supplier;

/** What every ledger keeps; what breaks one says so by its name. */
enum Property {
  /** All memory is free or held, and nothing is negative. */
  SUM,
  /** The ledger knows what its holders hold. */
  TRUTH,
  /** Nobody waits for what nobody frees. */
  COMING,
  /** Who waits is worked for. */
  WORK,
  /** Nobody waits for long. */
  WAIT,
  /** Who has nowhere else to go is refused nothing that others could give back. */
  LAST_RESORT,
  /** What was granted to a sort buffer spills to memory. */
  ROOM,
  /** What was received and what was lent is called back before outputs are moved. */
  OUTPUTS_AFTER_LOANS,
  /** What was received is called back before loans of sort buffers. */
  LOANS_AFTER_RECEIVED,
  /** Claims are called back when outputs of their application can bring no more. */
  CLAIMS_LAST,
  /** Who is late is granted nothing. */
  LATE,
  /** Who comes last finds something, whatever others ignore. */
  NEWCOMER,
  /** One alone may have all. */
  ALONE,
  /** Those who ask alike have alike. */
  EQUAL,
  /** Everybody comes to an end in time. */
  ENDS,
  /** What was held is free when all have ended. */
  FREE_AT_THE_END;

  void check(boolean kept, Supplier<?> state) {
    if (!kept) {
      throw new Broken(this, String.valueOf(state.get()));
    }
  }

  /** A property that was not kept. */
  static final class Broken extends AssertionError {
    private static final long serialVersionUID = 1;
    private final Property property;

    Broken(Property property, String state) {
      super(property + ": " + state);
      this.property = property;
    }

    Property property() {
      return property;
    }
  }
}
