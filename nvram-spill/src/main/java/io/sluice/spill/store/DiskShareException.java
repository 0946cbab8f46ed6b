package io.sluice.spill.store;

/**
 * Thrown when the disk tier has room for a lease, but keeps it for users that hold less than this
 * one. The message says how much this user holds.
 */
public final class DiskShareException extends StoreFullException {
  private static final long serialVersionUID = 1;

  /** The message names the user, and how much it holds. */
  public DiskShareException(String message) {
    super(message);
  }
}
