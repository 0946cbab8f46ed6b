package io.sluice.rdma.testing;

/** A key that no hash table can take, as if memory were short. */
public final class FailingKey {
  @Override
  public int hashCode() {
    throw new OutOfMemoryError("expected by this test");
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }
}
