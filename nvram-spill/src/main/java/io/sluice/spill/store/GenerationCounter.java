package io.sluice.spill.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hands out generations: numbers that rise for the whole life of a pool, across restarts, and where
 * its memory was lost across that. The pool stores a bound above all numbers handed out, which is
 * written once in {@value #STEP} times. It also stores which number is the epoch of its disk tier,
 * see {@link DiskEpoch}.
 *
 * <pre>
 *  0       8            16
 *  +-------+------------+
 *  | bound | disk epoch |    int64 each, big-endian
 *  +-------+------------+
 * </pre>
 *
 * <p>Thread contract: guarded by the lock of the store, which also closes it. Failure: {@link
 * IOException} of the area; no number above what is written there is handed out.
 */
final class GenerationCounter implements Closeable {
  private static final int STEP = 1024;
  private static final int DISK_EPOCH_OFFSET = 8;

  /** More than a pool hands out in its life. */
  private static final int LIFE_BITS = 40;

  /** So few that those of all lives together are less than a life. */
  private static final int DRAWN_BITS = LIFE_BITS - 9;

  /** So that files of the disk tier, which count in fewer bits, get other names as well. */
  private static final long OTHER_NAMES = 1L << 24;

  private final MetaArea area;
  private long next;
  private long bound;

  private GenerationCounter(MetaArea area, long next) {
    this.area = area;
    this.next = next;
    this.bound = next;
  }

  /**
   * Goes on counting, or starts in a new area.
   *
   * @param path for messages
   */
  static GenerationCounter open(MetaArea area, Object path) throws IOException {
    byte[] bytes = new byte[Long.BYTES];
    area.read(0, bytes);
    long bound = ByteBuffer.wrap(bytes).getLong();
    if (bound < 0) {
      throw new IOException(
          path
              + " says generation "
              + bound
              + ", expected 0 or more; open it without recovery, which empties it");
    }
    return new GenerationCounter(area, Math.max(1, bound)); // 0: none was handed out
  }

  /**
   * Begins, in a new area, above all numbers that a pool may have handed out whose own area is
   * lost. How far above is drawn at random: the pool may have lost its memory once more since that
   * epoch, and no trace of that is left.
   *
   * @param epoch of its disk tier, which it goes on with
   */
  static void goOn(MetaArea area, long epoch) throws IOException {
    area.writeLong(DISK_EPOCH_OFFSET, epoch);
    long drawn = ThreadLocalRandom.current().nextLong(1L << DRAWN_BITS);
    area.writeLong(0, epoch + (1L << LIFE_BITS) + OTHER_NAMES + drawn);
  }

  /** How many times a pool had lost its memory when it handed that number out. */
  static long livesBefore(long epoch) {
    return epoch >> LIFE_BITS;
  }

  /** A bound above every number handed out so far. */
  long bound() {
    return bound;
  }

  long next() throws IOException {
    if (next >= bound) {
      long raised = Math.addExact(next, STEP);
      area.writeLong(0, raised);
      bound = raised; // only now: a successor takes what is above its bound for nobody's
    }
    return next++;
  }

  /** The epoch of the disk tier; 0 in a new pool. */
  long diskEpoch() throws IOException {
    byte[] bytes = new byte[Long.BYTES];
    area.read(DISK_EPOCH_OFFSET, bytes);
    return ByteBuffer.wrap(bytes).getLong();
  }

  /** Begins another epoch of the disk tier, a number that was handed out. */
  void setDiskEpoch(long epoch) throws IOException {
    area.writeLong(DISK_EPOCH_OFFSET, epoch);
  }

  @Override
  public void close() throws IOException {
    area.close();
  }
}
