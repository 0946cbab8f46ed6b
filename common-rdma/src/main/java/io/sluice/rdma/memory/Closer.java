package io.sluice.rdma.memory;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Stream;

/**
 * Closes several resources in order, and goes on after a failure: memory, files and locks that are
 * not released stay lost until the process ends. {@link #all} takes the resources together. An
 * instance takes the steps of a clean-up one by one, as they turn up.
 *
 * <p>Thread contract: that of the resources; an instance is for one thread. Failure: the first
 * exception, with the others as suppressed ones. It may be a checked exception that no signature
 * declares, because Scala's methods throw those.
 */
public final class Closer {
  private Throwable failure; // the first one; null: none yet

  /** Nothing is done yet. */
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

  /** Lets the compiler accept any failure as one that may be thrown. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T asItIs(Throwable failure) throws T {
    throw (T) failure;
  }
}
