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
 *   <li>If not {@link #hasPrefix}, {@link #prefix} and {@link #decides} are never called.
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

  /** Whether two keys that both have this prefix are equal without a look at the keys. */
  boolean decides(long prefix);
}
