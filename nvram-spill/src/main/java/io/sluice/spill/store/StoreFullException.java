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
}
