package io.sluice.rdma.transport;

import java.security.SecureRandom;

/**
 * Allows its holder to connect to one server endpoint, once and within a short time; see {@link
 * Admission}.
 *
 * <p>{@link #toString} does not print it.
 *
 * @param high the first half of the secret
 * @param low the second half of the secret
 */
public record Ticket(long high, long low) {
  /** The ticket that a client without one shows. */
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
