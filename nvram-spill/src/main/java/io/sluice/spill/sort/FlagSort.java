package io.sluice.spill.sort;

/**
 * One pass of American flag sort (McIlroy, Bostic, McIlroy: "Engineering Radix Sort", 1993): moves
 * the entries of a range in place into buckets by a field of one of their words. Used once by
 * partition, then by ever lower bits of the prefix.
 *
 * <p>Thread contract: stateless.
 */
final class FlagSort {
  private FlagSort() {}

  /** Counts the entries of {@code [from, to)} per value of the field. */
  static void count(
      RecordIndex index, int from, int to, int word, int shift, int mask, int[] counts) {
    for (int i = from; i < to; i++) {
      counts[(int) (index.word(i, word) >>> shift) & mask]++;
    }
  }

  /**
   * Moves every entry into its bucket.
   *
   * @param next first position of each bucket; on return the end of each
   * @param end end of each bucket
   */
  static void permute(RecordIndex index, int word, int shift, int mask, int[] next, int[] end) {
    for (int bucket = 0; bucket < next.length; bucket++) {
      while (next[bucket] < end[bucket]) {
        int position = next[bucket];
        long prefix = index.word(position, RecordIndex.PREFIX);
        long place = index.word(position, RecordIndex.PLACE);
        // Carry the displaced entry from bucket to bucket until one belongs here.
        int home = (int) ((word == RecordIndex.PREFIX ? prefix : place) >>> shift) & mask;
        while (home != bucket) {
          int target = next[home]++;
          long displacedPrefix = index.word(target, RecordIndex.PREFIX);
          long displacedPlace = index.word(target, RecordIndex.PLACE);
          index.set(target, prefix, place);
          prefix = displacedPrefix;
          place = displacedPlace;
          home = (int) ((word == RecordIndex.PREFIX ? prefix : place) >>> shift) & mask;
        }
        index.set(position, prefix, place);
        next[bucket] = position + 1;
      }
    }
  }
}
