package io.sluice.it.spark.jobs;

/**
 * What is kept of one row of a result.
 *
 * @param key the row's
 * @param hash of the whole row
 */
record ResultRow(long key, long hash) {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  /** A row of a key and parts whose order matters. */
  static ResultRow of(long key, long... parts) {
    long hash = mix(key);
    for (long part : parts) {
      hash = mix(hash ^ part);
    }
    return new ResultRow(key, hash);
  }

  static long hash(CharSequence value) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < value.length(); i++) {
      hash = (hash ^ value.charAt(i)) * FNV_PRIME;
    }
    return mix(hash);
  }

  /** Of values whose order does not matter. */
  static long hash(Iterable<String> values) {
    long sum = 0;
    long count = 0;
    for (String value : values) {
      sum += hash(value);
      count++;
    }
    return mix(sum ^ mix(count));
  }

  /** The finalizer of MurmurHash3: sums of its results tell sets of inputs apart. */
  private static long mix(long bits) {
    long mixed = (bits ^ bits >>> 33) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ mixed >>> 33;
  }
}
