package io.sluice.rdma.memory;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Stream;

/**
 * Closes several resources in order, and goes on after a failure: memory, files and locks that are
 * not released stay lost until the process ends.
 *
 * <p>Thread contract: that of the resources. Failure: the first exception, with the others as
 * suppressed ones. It may be a checked exception that no signature declares, because Scala's
 * methods throw those.
 */
public final class Closer {
  private Closer() {}

  /** Runs all of them, like {@link #all(Closeable...)}, for actions that do no I/O. */
  public static void all(Stream<Runnable> ends) {
    try {
      all(ends.map(end -> (Closeable) end::run).toList());
    } catch (IOException e) {
      throw new AssertionError("none of them does I/O", e);
    }
  }

  /**
   * Closes a resource after a failure. An exception from closing is added to the failure. A
   * resource that was never opened is null. Allocates no memory, because there may be none.
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

  /** Closes several resources after a failure. */
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

  /** Lets the compiler accept any failure as one that may be thrown. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T asItIs(Throwable failure) throws T {
    throw (T) failure;
  }
}
