package io.sluice.spill.store;

/**
 * Thrown when there is no heap for a further output or file of a user, or what is left is kept for
 * users who have less; the message says how many this one has.
 */
public final class HeapShareException extends StoreFullException {
  private static final long serialVersionUID = 1;

  /** Says who has how many. */
  public HeapShareException(String message) {
    super(message);
  }
}
