package io.sluice.mapreduce.merge;

import io.sluice.mapreduce.merge.MergeMemory.ChunkLength;
import java.util.Set;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.DeflateCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;

/** The form in which the bytes of a run are stored. */
public enum RunForm {
  /** Plain records. */
  PLAIN,
  /**
   * Chunks of a {@link ChunkWriter}. Sluice writes them with a codec that it knows, if a merge may
   * have no room for a stream of each run; see {@link ChunkLength}.
   */
  CHUNKS,
  /** One stream of the job's codec, as stock writes it. */
  STREAM;

  /**
   * Codecs whose streams can be used again after {@code resetState} without an allocation.
   * MapReduce itself never calls that. Other codecs write one header for each stream, refuse the
   * reset, or allocate megabytes for each chunk, as bzip2 does. A subclass counts as another codec.
   */
  private static final Set<Class<? extends CompressionCodec>> CHUNKED =
      Set.of(
          DefaultCodec.class,
          DeflateCodec.class,
          GzipCodec.class,
          SnappyCodec.class,
          Lz4Codec.class,
          ZStandardCodec.class);

  /** Whether runs may be written in chunks with {@code codec}, which may be null. */
  public static boolean canBeChunks(CompressionCodec codec) {
    return codec != null && CHUNKED.contains(codec.getClass());
  }

  /**
   * The form of a run that Sluice wrote.
   *
   * @param codec of the job, or null
   * @param chunkBytes the recorded length of its chunks; 0 without chunks
   */
  public static RunForm of(CompressionCodec codec, int chunkBytes) {
    if (chunkBytes > 0) {
      return CHUNKS;
    }
    return codec == null ? PLAIN : STREAM;
  }
}
