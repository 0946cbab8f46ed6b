package io.sluice.spill.sort;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A hash of a serialized key and its partition, for {@link GroupTable}. Keys that somebody chose to
 * collide cost no more than {@link KeyGroups} allows a search.
 *
 * <p>Thread contract: stateless.
 */
final class KeyHash {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** 2^64 divided by the golden ratio: Fibonacci hashing (Knuth, volume 3, section 6.4). */
  private static final long MULTIPLIER = 0x9e37_79b9_7f4a_7c15L;

  private KeyHash() {}

  static int of(byte[] key, int offset, int length, int partition) {
    long hash = mix((long) partition << 32 | length);
    int end = offset + length;
    if (length >= Long.BYTES) {
      for (int at = offset; at < end - Long.BYTES; at += Long.BYTES) {
        hash = mix(hash ^ (long) LONGS.get(key, at));
      }
      hash = mix(hash ^ (long) LONGS.get(key, end - Long.BYTES));
    } else if (length >= Integer.BYTES) {
      long first = (int) INTS.get(key, offset) & 0xffff_ffffL;
      hash = mix(hash ^ (first << 32 | (int) INTS.get(key, end - Integer.BYTES) & 0xffff_ffffL));
    } else {
      for (int at = offset; at < end; at++) {
        hash = mix(hash ^ key[at]);
      }
    }
    return (int) (hash >>> 32);
  }

  private static long mix(long value) {
    long product = value * MULTIPLIER;
    return product ^ product >>> 32;
  }
}
