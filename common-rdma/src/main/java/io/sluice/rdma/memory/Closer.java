package io.sluice.rdma.memory;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Stream;

/**
 * Closes several things, in their order, whatever becomes of one: memory, files and locks that are
 * not given back would be missed until the process ends.
 *
 * <p>Thread contract: that of the things. Failure: the first one's, to which the others' are added
 * as suppressed ones. It may be a checked exception that no signature declares: Scala's methods
 * throw those.
 */
public final class Closer {
  private Closer() {}

  /** As below, of what does no I/O. */
  public static void all(Stream<Runnable> ends) {
    try {
      all(ends.map(end -> (Closeable) end::run).toList());
    } catch (IOException e) {
      throw new AssertionError("none of them does any", e);
    }
  }

  /**
   * Closes something because of a failure, which stays the failure: what closing throws is added to
   * it. What was never opened is null. Needs no memory, which there may be none of.
   */
  public static void after(Throwable failure, Closeable thing) {
    try {
      if (thing != null) {
        thing.close();
      }
    } catch (Throwable e) {
      if (e != failure) {
        failure.addSuppressed(e);
      }
    }
  }

  /** The same of several things. */
  public static void after(Throwable failure, Collection<? extends Closeable> things) {
    for (Closeable thing : things) {
      after(failure, thing);
    }
  }

  /** Closes all of them; those that were never opened are null. */
  public static void all(Closeable... things) throws IOException {
    all(Arrays.asList(things));
  }

  /** Closes all of them; those that were never opened are null. */
  public static void all(Collection<? extends Closeable> things) throws IOException {
    Throwable failure = null;
    for (Closeable thing : things) {
      try {
        if (thing != null) {
          thing.close();
        }
      } catch (Throwable e) {
        if (failure == null) {
          failure = e;
        } else if (failure != e) {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw Closer.<IOException>asItIs(failure);
    }
  }

  /** Lets the compiler take any failure for one that may be thrown. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T asItIs(Throwable failure) throws T {
    throw (T) failure;
  }
}
