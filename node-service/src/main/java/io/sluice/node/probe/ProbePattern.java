package io.sluice.node.probe;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a probe reads: bytes that everybody knows, different at every offset, so that a read that
 * came from elsewhere, or not at all, is seen.
 *
 * <pre>
 *   offset 8 i: int64 (i + 1) * 0x9E3779B97F4A7C15, big-endian
 * </pre>
 *
 * <p>Thread contract: stateless.
 */
public final class ProbePattern {
  /** Length of the pattern. */
  public static final int LENGTH_BYTES = 1 << 20;

  private static final long STEP = 0x9E3779B97F4A7C15L;

  private ProbePattern() {}

  /** Writes the whole pattern to the start of {@code memory}. */
  static void fill(ByteBuffer memory) {
    ByteBuffer out = memory.duplicate().order(ByteOrder.BIG_ENDIAN).clear();
    for (int offset = 0; offset < LENGTH_BYTES; offset += Long.BYTES) {
      out.putLong(offset, at(offset));
    }
  }

  /**
   * Where {@code memory} first differs from the pattern.
   *
   * @param memory compared from its position to its limit
   * @param offsetBytes where in the pattern its position lies; a multiple of 8, as is its length
   * @return an offset in the pattern, rounded down to 8, or -1
   */
  static int mismatch(ByteBuffer memory, int offsetBytes) {
    ByteBuffer in = memory.slice().order(ByteOrder.BIG_ENDIAN);
    for (int i = 0; i < in.limit(); i += Long.BYTES) {
      if (in.getLong(i) != at(offsetBytes + i)) {
        return offsetBytes + i;
      }
    }
    return -1;
  }

  private static long at(int offsetBytes) {
    return (offsetBytes / Long.BYTES + 1) * STEP;
  }
}
