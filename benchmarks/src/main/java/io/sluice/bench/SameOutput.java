package io.sluice.bench;

import io.sluice.it.cluster.ClusterException;

/**
 * The output of a program, which must be the same in all variants.
 *
 * <p>Not thread-safe.
 *
 * @param <T> a digest, by whose {@code equals} outputs are compared
 */
public final class SameOutput<T> {
  private final String program;
  private T expected; // null: nobody has run it

  /** Of that program, none of which is known yet. */
  public SameOutput(String program) {
    this.program = program;
  }

  /**
   * Takes one more.
   *
   * @throws ClusterException if it differs from those before
   */
  public void add(String runner, T found) {
    if (expected != null && !found.equals(expected)) {
      throw new ClusterException(
          "%s: %s put out %s, others %s".formatted(program, runner, found, expected));
    }
    expected = found;
  }

  /** That of all. */
  public T get() {
    return expected;
  }
}
