package io.sluice.mapreduce.stage;

import java.io.Closeable;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Bounds how many volumes have files open for reading: the one that was not read for the longest
 * time closes its own, and opens them again when it is read.
 *
 * <p>Thread contract: safe from any thread; one reads at a time. Ownership: a volume leaves with
 * {@link #forget}. Failure: what the reading volume throws.
 */
final class OpenVolumes {
  private final int limit;
  private final Set<Closeable> open = new LinkedHashSet<>();

  /** At most {@code limit} volumes have files open. */
  OpenVolumes(int limit) {
    this.limit = limit;
  }

  /** Reads from files. */
  @FunctionalInterface
  interface Reading<T> {
    /** Opens what is not open. */
    T read() throws IOException;
  }

  /**
   * Reads with the files of one volume.
   *
   * @param files closes them for now
   */
  synchronized <T> T read(Closeable files, Reading<T> reading) throws IOException {
    open.remove(files);
    while (open.size() >= limit) {
      Iterator<Closeable> eldest = open.iterator();
      Closeable closing = eldest.next();
      eldest.remove();
      closing.close();
    }
    open.add(files);
    return reading.read();
  }

  /** Closes the files of a volume that is given back. */
  synchronized void forget(Closeable files) throws IOException {
    open.remove(files);
    files.close();
  }
}
