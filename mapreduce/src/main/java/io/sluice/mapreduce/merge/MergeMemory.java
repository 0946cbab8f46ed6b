package io.sluice.mapreduce.merge;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.spill.format.BlockChecksums;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;

/**
 * How many runs a task may merge at once, so that what their readers hold stays within bounds: a
 * block to parse in for each, the largest of its records, the block that is verified for whoever
 * asks for less, the block that is decrypted if runs are encrypted, and what the job's codec takes
 * to decompress it, on the heap, in direct memory or in a native library.
 *
 * <p>Codecs do not say what they take. Those of Hadoop are known, by the settings of their buffers;
 * any other is taken to need {@link #UNKNOWN_STREAM_BYTES}.
 */
public final class MergeMemory {
  /** What may be left of the record before, when a block of a run is verified behind it. */
  private static final int REST_BYTES = 8 << 10;

  private static final int MIN_BLOCK_BYTES = BlockChecksums.BLOCK_BYTES + REST_BYTES;

  private static final int MAX_BLOCK_BYTES = 128 << 10;

  /** What objects of a run take besides, however short it is. */
  private static final int LEAST_RUN_BYTES = 1 << 10;

  /** However short they are: each has objects, and perhaps an open file. */
  private static final int MAX_RUNS = 1024;

  static final long UNKNOWN_STREAM_BYTES = 1 << 20;

  /** An inflater's state, and the two direct buffers of the native one. */
  private static final long ZLIB_BYTES = 3 * (64 << 10);

  /** A block of 900,000 bytes as bytes and as numbers, and tables. */
  private static final long BZIP2_BYTES = 5 << 20;

  private static final int ZSTD_BUFFER_BYTES = 256 << 10; // or little less, if no size is set
  private static final int ZSTD_WIDE_LEVEL = 10;
  private static final int ZSTD_WIDEST_LEVEL = 20;

  private final TaskMemory memory;
  private final long streamBytes;
  private final long cipherBytes;

  /**
   * For the runs of a job.
   *
   * @param codec of the runs, or null if they are not compressed
   * @param encrypted whether they are
   * @param memory what the task that merges them may take
   */
  public MergeMemory(
      CompressionCodec codec, Configuration conf, boolean encrypted, TaskMemory memory) {
    this(memory, streamBytes(codec, conf), encrypted ? BlockChecksums.BLOCK_BYTES : 0);
  }

  MergeMemory(TaskMemory memory, long streamBytes, long cipherBytes) {
    this.memory = memory;
    this.streamBytes = streamBytes;
    this.cipherBytes = cipherBytes;
  }

  /**
   * Most runs to merge at once, at least two, whichever of these they are; if all of them may be
   * merged, with as many more of their kind.
   *
   * @param recordBytes mean length of the records of one
   * @param rawLengthsBytes of the runs, the longest first
   */
  public int maxRuns(long recordBytes, LongStream rawLengthsBytes) {
    // A block that has to grow doubles, and the old array is there until the new one is filled.
    long grownBytes = recordBytes > MIN_BLOCK_BYTES ? 3 * recordBytes : 0;
    boolean verifiedApart = streamBytes > 0 || recordBytes > REST_BYTES;
    long verifiedBytes = verifiedApart ? BlockChecksums.BLOCK_BYTES : 0;
    long runBytes = streamBytes + grownBytes + verifiedBytes + cipherBytes;
    long runs = runBytes == 0 ? Long.MAX_VALUE : memory.streamsBytes() / runBytes;
    return (int) Math.max(2, Math.min(MAX_RUNS, Math.min(blocks(rawLengthsBytes), runs)));
  }

  /** For how many of the longest runs there is room for their blocks. */
  private long blocks(LongStream rawLengthsBytes) {
    long runs = 0;
    long blocksBytes = 0;
    for (var lengths = rawLengthsBytes.limit(MAX_RUNS).iterator(); lengths.hasNext(); runs++) {
      long withBytes = blocksBytes + Math.max(LEAST_RUN_BYTES, leastBlockBytes(lengths.next()));
      if (withBytes > memory.blocksBytes()) {
        return runs;
      }
      blocksBytes = withBytes;
    }
    long meanBytes = runs == 0 ? LEAST_RUN_BYTES : blocksBytes / runs;
    return runs + (memory.blocksBytes() - blocksBytes) / meanBytes;
  }

  /** The least block to parse a run of such a length in: the whole run, if it is short. */
  static long leastBlockBytes(long rawLengthBytes) {
    return Math.min(MIN_BLOCK_BYTES, rawLengthBytes);
  }

  /**
   * The block to parse in that a run gets.
   *
   * @param runs how many are merged at once
   * @param rawLengthBytes of this one; it needs no more
   */
  public int blockBytes(int runs, long rawLengthBytes) {
    long shareBytes = memory.blocksBytes() / Math.max(1, runs);
    long blockBytes = Math.max(MIN_BLOCK_BYTES, Math.min(MAX_BLOCK_BYTES, shareBytes));
    return (int) Math.min(blockBytes, rawLengthBytes);
  }

  /** What one stream of {@code codec} holds while it is open. */
  static long streamBytes(CompressionCodec codec, Configuration conf) {
    if (codec == null) {
      return 0;
    }
    if (codec instanceof SnappyCodec) {
      return blockStreamBytes(
          conf,
          CommonConfigurationKeys.IO_COMPRESSION_CODEC_SNAPPY_BUFFERSIZE_KEY,
          CommonConfigurationKeys.IO_COMPRESSION_CODEC_SNAPPY_BUFFERSIZE_DEFAULT);
    }
    if (codec instanceof Lz4Codec) {
      return blockStreamBytes(
          conf,
          CommonConfigurationKeys.IO_COMPRESSION_CODEC_LZ4_BUFFERSIZE_KEY,
          CommonConfigurationKeys.IO_COMPRESSION_CODEC_LZ4_BUFFERSIZE_DEFAULT);
    }
    long streamBufferBytes =
        conf.getInt(
            CommonConfigurationKeys.IO_FILE_BUFFER_SIZE_KEY,
            CommonConfigurationKeys.IO_FILE_BUFFER_SIZE_DEFAULT);
    if (codec instanceof ZStandardCodec) {
      return zstdBytes(conf);
    }
    if (codec instanceof BZip2Codec) {
      return BZIP2_BYTES + streamBufferBytes;
    }
    return streamBufferBytes + (codec instanceof DefaultCodec ? ZLIB_BYTES : UNKNOWN_STREAM_BYTES);
  }

  /** Two direct buffers of the decompressor, and one of the stream on the heap. */
  private static long blockStreamBytes(Configuration conf, String key, int defaultBytes) {
    return 3L * conf.getInt(key, defaultBytes);
  }

  private static long zstdBytes(Configuration conf) {
    int bufferBytes =
        Math.max(
            ZSTD_BUFFER_BYTES,
            conf.getInt(
                CommonConfigurationKeys.IO_COMPRESSION_CODEC_ZSTD_BUFFER_SIZE_KEY,
                CommonConfigurationKeys.IO_COMPRESSION_CODEC_ZSTD_BUFFER_SIZE_DEFAULT));
    int level =
        conf.getInt(
            CommonConfigurationKeys.IO_COMPRESSION_CODEC_ZSTD_LEVEL_KEY,
            CommonConfigurationKeys.IO_COMPRESSION_CODEC_ZSTD_LEVEL_DEFAULT);
    // The window that a frame of this level makes its reader keep.
    long windowBytes =
        level >= ZSTD_WIDEST_LEVEL ? 128 << 20 : level >= ZSTD_WIDE_LEVEL ? 8 << 20 : 4 << 20;
    return 3L * bufferBytes + windowBytes;
  }
}
