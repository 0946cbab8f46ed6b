package io.sluice.spill.store;

/**
 * Thrown when the disk tier has room for a lease, but keeps it for users or applications that hold
 * less than this one; the message says how much this one holds.
 */
public final class DiskShareException extends StoreFullException {
  private static final long serialVersionUID = 1;

  /** Says who holds how much. */
  public DiskShareException(String message) {
    super(message);
  }
}
