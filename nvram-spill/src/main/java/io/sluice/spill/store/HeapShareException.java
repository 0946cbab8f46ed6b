package io.sluice.spill.store;

/**
 * Thrown when there is no heap for a further output or file of a user, or the rest is kept for
 * users that have less. The message says how many this user has.
 */
public final class HeapShareException extends StoreFullException {
  private static final long serialVersionUID = 1;

  /** The message names the user, and what all users have. */
  public HeapShareException(String message) {
    super(message);
  }
}
