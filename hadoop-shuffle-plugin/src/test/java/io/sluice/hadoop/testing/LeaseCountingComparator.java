package io.sluice.hadoop.testing;

import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;

/** Orders texts as ever, and looks how many of a codec's are out while it does. */
public final class LeaseCountingComparator extends Text.Comparator {
  private static CompressionCodec codec;
  private static int most;
  private static int mostCompressors;

  /** Begins to look at those of {@code codec}. */
  public static void watch(CompressionCodec codec) {
    LeaseCountingComparator.codec = codec;
    most = 0;
    mostCompressors = 0;
  }

  /** Most decompressors that were out at once since then. */
  public static int most() {
    return most;
  }

  /** The same of compressors. */
  public static int mostCompressors() {
    return mostCompressors;
  }

  @Override
  public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
    if (codec != null) {
      most = Math.max(most, CodecPool.getLeasedDecompressorsCount(codec));
      mostCompressors = Math.max(mostCompressors, CodecPool.getLeasedCompressorsCount(codec));
    }
    return super.compare(a, aOff, aLen, b, bOff, bLen);
  }
}
