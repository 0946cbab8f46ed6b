package io.sluice.spill.store;

import java.io.IOException;

/**
 * Thrown when no tier can grant a lease; the message says which, by how much, and what to raise.
 */
public class StoreFullException extends IOException {
  private static final long serialVersionUID = 1;

  public StoreFullException(String message) {
    super(message);
  }

  /**
   * Thrown when the disk tier has room for a lease, but keeps it for users that hold less than this
   * one. The message says how much this user holds.
   */
  public static final class DiskShareException extends StoreFullException {
    private static final long serialVersionUID = 1;

    /** The message names the user, and how much it holds. */
    public DiskShareException(String message) {
      super(message);
    }
  }

  /**
   * Thrown when there is no heap for a further output or file of a user, or the rest is kept for
   * users that have less. The message says how many this user has.
   */
  public static final class HeapShareException extends StoreFullException {
    private static final long serialVersionUID = 1;

    /** The message names the user, and what all users have. */
    public HeapShareException(String message) {
      super(message);
    }
  }
}
