package io.sluice.mapreduce.testing;

import java.util.Arrays;
import java.util.HexFormat;

/** A serialized record that compares by its bytes, key first. */
public record Pair(byte[] key, byte[] value) implements Comparable<Pair> {
  /** Copies a record out of the arrays of whoever reads it. */
  public static Pair copy(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength) {
    return new Pair(
        Arrays.copyOfRange(key, keyOffset, keyOffset + keyLength),
        Arrays.copyOfRange(value, valueOffset, valueOffset + valueLength));
  }

  @Override
  public int compareTo(Pair other) {
    int byKey = Arrays.compare(key, other.key);
    return byKey != 0 ? byKey : Arrays.compare(value, other.value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Pair pair && compareTo(pair) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    return head(key) + "=" + head(value);
  }

  private static String head(byte[] bytes) {
    int shown = Math.min(bytes.length, 16);
    return HexFormat.of().formatHex(bytes, 0, shown) + (shown < bytes.length ? "…" : "");
  }
}
