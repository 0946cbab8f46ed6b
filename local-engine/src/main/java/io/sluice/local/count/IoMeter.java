package io.sluice.local.count;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Bytes that a task's reader reads, or its writer writes: what the calls into it move, on whatever
 * threads the user's code makes them.
 *
 * <p>Thread contract: safe from any thread.
 */
final class IoMeter {
  private final Thread owner = Thread.currentThread();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong bytesOfOthers = new AtomicLong();
  private volatile String scheme; // null: it measures nothing

  /** Of a task that this thread runs. */
  IoMeter() {}

  /** A call into reader or writer. */
  interface Call<T, E extends Exception> {
    /** Makes it. */
    T make() throws E, java.io.IOException;
  }

  /** Makes a call, and adds by how much it moved the caller's count. */
  <T, E extends Exception> T measure(LongSupplier count, Call<T, E> call)
      throws E, java.io.IOException {
    long before = count.getAsLong();
    try {
      return call.make();
    } finally {
      long moved = count.getAsLong() - before;
      if (moved != 0) {
        bytes.addAndGet(moved);
        if (Thread.currentThread() != owner) {
          bytesOfOthers.addAndGet(moved);
        }
      }
    }
  }

  void begin(String schemeOfPath) {
    scheme = schemeOfPath;
  }

  boolean measures() {
    return scheme != null;
  }

  long bytes() {
    return bytes.get();
  }

  /** On threads other than the task's, in file systems of that scheme. */
  long bytesOfOthers(String of) {
    return of.equals(scheme) ? bytesOfOthers.get() : 0;
  }
}
