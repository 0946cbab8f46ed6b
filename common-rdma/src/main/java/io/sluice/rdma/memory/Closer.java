package io.sluice.rdma.memory;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Stream;

/**
 * Closes several things, in their order, whatever becomes of one: memory, files and locks that are
 * not given back would be missed until the process ends. {@link #all} takes the things together; an
 * instance takes the steps of a clean-up one by one, as they turn up.
 *
 * <p>Thread contract: that of the things; an instance is for one thread. Failure: the first one's,
 * to which the others' are added as suppressed ones. It may be a checked exception that no
 * signature declares: Scala's methods throw those.
 */
public final class Closer {
  private Throwable failure; // the first one; null: none yet

  /** With nothing done. */
  public Closer() {}

  /** Does one step of a clean-up, which may add others; {@link #finish} tells if it failed. */
  public void run(Closeable step) {
    try {
      step.close();
    } catch (Throwable e) {
      failure = first(failure, e); // as it is now: the step may have run others
    }
  }

  /**
   * Tells what failed first, if anything did.
   *
   * @param message what was not achieved
   * @throws Error the very error, such as a fault in mapped memory
   * @throws IOException with the message, of any other failure, its cause
   */
  public void finish(String message) throws IOException {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw new IOException(message + ": " + failure, failure);
    }
  }

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
        failure = first(failure, e);
      }
    }
    if (failure != null) {
      throw Closer.<IOException>asItIs(failure);
    }
  }

  /** The failure to tell, with the later one added to it. */
  private static Throwable first(Throwable before, Throwable e) {
    if (before == null) {
      return e;
    }
    if (before != e) { // the JVM has some errors once only
      before.addSuppressed(e);
    }
    return before;
  }

  /** Lets the compiler take any failure for one that may be thrown. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T asItIs(Throwable failure) throws T {
    throw (T) failure;
  }
}
