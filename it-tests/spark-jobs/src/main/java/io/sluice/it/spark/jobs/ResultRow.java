package io.sluice.it.spark.jobs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The key and the hash of one row of a result.
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

  /** Eight bytes at a time: checking the rows must cost less than moving them. */
  static long hash(String value) {
    ByteBuffer bytes = ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8));
    long hash = FNV_OFFSET;
    while (bytes.remaining() >= Long.BYTES) {
      hash = (Long.rotateLeft(hash, 29) ^ bytes.getLong()) * FNV_PRIME;
    }
    while (bytes.hasRemaining()) {
      hash = (Long.rotateLeft(hash, 29) ^ bytes.get()) * FNV_PRIME;
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
