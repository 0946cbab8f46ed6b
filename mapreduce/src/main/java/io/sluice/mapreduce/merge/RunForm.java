package io.sluice.mapreduce.merge;

import java.util.Set;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.DeflateCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;

/** How the bytes of a run are stored. */
public enum RunForm {
  /** Its records, as they are. */
  PLAIN,
  /**
   * In the chunks of a {@link ChunkWriter}: what Sluice compresses with a codec that it knows,
   * where a merge may have no room for a stream of each run, see {@link ChunkLength}.
   */
  CHUNKS,
  /** One stream of the job's codec from its first byte to its last, as stock writes it. */
  STREAM;

  /**
   * Codecs whose streams can be used again after {@code resetState}, and then allocate nothing.
   * MapReduce itself never asks that of a codec. Others write a header once for each stream, refuse
   * to be reset, or, as bzip2 does, allocate megabytes for each chunk. A subclass is another codec.
   */
  private static final Set<Class<? extends CompressionCodec>> CHUNKED =
      Set.of(
          DefaultCodec.class,
          DeflateCodec.class,
          GzipCodec.class,
          SnappyCodec.class,
          Lz4Codec.class,
          ZStandardCodec.class);

  /** Whether runs may be written in chunks of {@code codec}, null for none. */
  public static boolean canBeChunks(CompressionCodec codec) {
    return codec != null && CHUNKED.contains(codec.getClass());
  }

  /**
   * That of a run which Sluice wrote.
   *
   * @param codec of the job, or null
   * @param chunkBytes what the run tells of its chunks; 0 without
   */
  public static RunForm of(CompressionCodec codec, int chunkBytes) {
    if (chunkBytes > 0) {
      return CHUNKS;
    }
    return codec == null ? PLAIN : STREAM;
  }
}
