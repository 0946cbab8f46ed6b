package io.sluice.hadoop.testing;

import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;

/** Orders texts as ever, and looks how many decompressors are out while it does. */
public final class LeaseCountingComparator extends Text.Comparator {
  private static CompressionCodec codec;
  private static int most;

  /** Begins to look at those of {@code codec}. */
  public static void watch(CompressionCodec codec) {
    LeaseCountingComparator.codec = codec;
    most = 0;
  }

  /** Most that were out at once since then. */
  public static int most() {
    return most;
  }

  @Override
  public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
    if (codec != null) {
      most = Math.max(most, CodecPool.getLeasedDecompressorsCount(codec));
    }
    return super.compare(a, aOff, aLen, b, bOff, bLen);
  }
}
