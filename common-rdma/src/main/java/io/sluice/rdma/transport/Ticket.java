package io.sluice.rdma.transport;

import java.security.SecureRandom;

/**
 * Lets its holder connect to one server endpoint, once and soon; see {@link Admission}.
 *
 * <p>{@link #toString} does not print it.
 *
 * @param high half of what must be guessed
 * @param low the other half
 */
public record Ticket(long high, long low) {
  /** What somebody shows who was told none. */
  public static final Ticket NONE = new Ticket(0, 0);

  /** Its length on the wire. */
  public static final int LENGTH_BYTES = 2 * Long.BYTES;

  private static final SecureRandom RANDOM = new SecureRandom();

  static Ticket random() {
    return new Ticket(RANDOM.nextLong(), RANDOM.nextLong() | 1); // never NONE
  }

  @Override
  public String toString() {
    return "ticket";
  }
}
