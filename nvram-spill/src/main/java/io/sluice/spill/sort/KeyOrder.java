package io.sluice.spill.sort;

/**
 * How the serialized keys of one job are ordered, split so that most comparisons are one of two
 * longs.
 *
 * <ul>
 *   <li>{@link #compare} is the whole truth: a total preorder of serialized keys.
 *   <li>If {@link #hasPrefix}, then {@code Long.compareUnsigned(prefix(a), prefix(b))} has the sign
 *       of {@code compare(a, b)} whenever the prefixes differ.
 *   <li>If the prefixes are equal and {@link #decides} says so, {@code compare(a, b) == 0}.
 *   <li>If not {@link #hasPrefix}, neither prefixes nor {@link #decides} are ever called.
 *   <li>An order may have prefixes of further levels, that go on where the first ends: for keys
 *       whose prefixes of all levels before are equal and undecided, the same two laws hold for the
 *       next. They sort long keys that begin alike without comparing them in full.
 * </ul>
 *
 * <p>Thread contract: every thread that sorts or merges has an instance of its own, since the
 * comparators of jobs keep state. Failure: an exception from a job's comparator passes through the
 * sort or merge untouched; the records being sorted are then lost with their buffer.
 */
public interface KeyOrder {
  /** Compares two serialized keys. */
  int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength);

  /** Whether this order has prefixes at all. */
  boolean hasPrefix();

  /** The first 64 bits of the order, to be compared as an unsigned number. */
  long prefix(byte[] key, int offset, int length);

  /** How many levels of prefixes there are. */
  default int prefixLevels() {
    return 1;
  }

  /**
   * The prefix of a further level, of a key whose prefixes before it are undecided.
   *
   * @param level from 1 to {@link #prefixLevels} - 1
   */
  default long prefix(byte[] key, int offset, int length, int level) {
    throw new UnsupportedOperationException("prefix of level " + level + ", expected only level 0");
  }

  /** Whether two keys that both have this prefix are equal without a look at the keys. */
  boolean decides(long prefix);
}
