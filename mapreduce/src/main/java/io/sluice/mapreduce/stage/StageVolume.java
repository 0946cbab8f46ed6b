package io.sluice.mapreduce.stage;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A part of a {@link PackedStage} in which runs lie in sequence: a file, or extents of the pool. It
 * is freed as a whole.
 *
 * <pre>
 *   | run | run | cut short | run ........ | room for more |
 * </pre>
 *
 * <p>Thread contract: one thread at a time writes; finished runs can be read meanwhile, each by one
 * thread. Ownership: the stage closes it. Failure: {@link IOException} of the medium; after a
 * failed write it is not written again.
 */
interface StageVolume extends Closeable {
  /** Reserves room for so many bytes. */
  void expect(long lengthBytes) throws IOException;

  /** Appends bytes to the last run. */
  void write(byte[] bytes, int offset, int length) throws IOException;

  /** Ends the last run, which can be read from now on; the next byte begins another. */
  VolumeRun endRun() throws IOException;

  /** All bytes written so far. */
  long lengthBytes();

  /** Ends writing and releases its buffers. Called once. */
  void endWriting() throws IOException;

  /** A finished run. It holds neither a file nor a buffer while it is not read. */
  interface VolumeRun {
    /** Bytes of the run. */
    long lengthBytes();

    /** The part of them that is in memory. */
    long memoryBytes();

    /** The checksums of the run. */
    BlockChecksums checksums();

    /** Opens the run; the first read opens its files. */
    RunInput open();
  }

  /**
   * Limits how many volumes have files open for reading. The least recently read volume closes its
   * files, and opens them again for its next read.
   *
   * <p>Thread contract: safe from any thread; one reads at a time. Ownership: a volume leaves with
   * {@link #forget}. Failure: the exceptions of the volume that is read.
   */
  static final class OpenVolumes {
    private final int limit;
    private final Set<Closeable> open = new LinkedHashSet<>();

    /** Allows {@code limit} volumes with open files. */
    OpenVolumes(int limit) {
      this.limit = limit;
    }

    /** Reads from files. */
    @FunctionalInterface
    interface Reading<T> {
      /** Opens missing files and reads. */
      T read() throws IOException;
    }

    /**
     * Reads with the files of one volume.
     *
     * @param files closes the volume's files for now
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

    /** Closes the files of a volume that ends. */
    synchronized void forget(Closeable files) throws IOException {
      open.remove(files);
      files.close();
    }
  }
}
