package io.sluice.mapreduce.merge;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.apache.hadoop.io.compress.bzip2.Bzip2Factory;

/**
 * The memory that a codec uses on the heap, in direct memory and in a native library. With the
 * defaults:
 *
 * <pre>
 *   codec            to read, KiB   to write, KiB
 *   Snappy, LZ4       768            768           two direct buffers of 256 KiB, one on the heap
 *   zlib, gzip        196            452           two direct buffers of 64 KiB, zlib's state
 *   Zstandard       4,864          5,888           three of 256 KiB, what its level takes
 *   bzip2           5,124          8,604           a block as bytes and as numbers
 * </pre>
 *
 * <p>Direct buffers and memory of native libraries lie outside the heap. That is all except the
 * buffer of the stream, and nothing for bzip2 in Java.
 *
 * <p>Codecs do not report their memory. For Hadoop's codecs it is computed from the settings of
 * buffers and levels; any other codec counts {@link #UNKNOWN_BYTES}.
 *
 * <p>Thread contract: immutable.
 *
 * @param readerBytes of one stream or decompressor in use
 * @param writerBytes of one compressor
 * @param readerOutsideBytes the part of the reader's that is outside the heap
 * @param writerOutsideBytes the part of the writer's that is outside the heap
 * @param inChunks whether runs may be {@link RunForm#CHUNKS}
 * @param inRounds whether rounds of a reduce may write chunks; not with zlib, which compresses
 *     slowest
 */
public record CodecMemory(
    long readerBytes,
    long writerBytes,
    long readerOutsideBytes,
    long writerOutsideBytes,
    boolean inChunks,
    boolean inRounds) {
  static final long UNKNOWN_BYTES = 1 << 20;

  /** Streams that a merge may always open, if it has heap for them: stock's io.sort.factor. */
  static final int LEAST_STREAMS = 10;

  private static final CodecMemory NONE = new CodecMemory(0, 0, 0, 0, false, false);

  /** An inflater's state, and the two direct buffers of the native one. */
  private static final long INFLATER_BYTES = 3 * (64 << 10);

  /** A deflater's state of a little over 256 KiB, and the two direct buffers of the native one. */
  private static final long DEFLATER_BYTES = 7 * (64 << 10);

  /** A block of 900,000 bytes as bytes and as numbers, and tables. */
  private static final long BZIP2_READER_BYTES = 5 << 20;

  /** The same, and the memory for sorting a block. */
  private static final long BZIP2_WRITER_BYTES = 8_600 << 10;

  private static final int ZSTD_BUFFER_BYTES = 256 << 10; // a little less if no size is set

  /** The memory of {@code codec}, which may be null, with the settings of {@code conf}. */
  public static CodecMemory of(CompressionCodec codec, Configuration conf) {
    if (codec == null) {
      return NONE;
    }
    boolean inChunks = RunForm.canBeChunks(codec);
    if (codec instanceof SnappyCodec) {
      return ofBlocks(
          conf,
          CommonConfigurationKeys.IO_COMPRESSION_CODEC_SNAPPY_BUFFERSIZE_KEY,
          CommonConfigurationKeys.IO_COMPRESSION_CODEC_SNAPPY_BUFFERSIZE_DEFAULT,
          inChunks);
    }
    if (codec instanceof Lz4Codec) {
      return ofBlocks(
          conf,
          CommonConfigurationKeys.IO_COMPRESSION_CODEC_LZ4_BUFFERSIZE_KEY,
          CommonConfigurationKeys.IO_COMPRESSION_CODEC_LZ4_BUFFERSIZE_DEFAULT,
          inChunks);
    }
    if (codec instanceof ZStandardCodec) {
      return ofZstandard(conf, inChunks);
    }
    long streamBufferBytes =
        conf.getInt(
            CommonConfigurationKeys.IO_FILE_BUFFER_SIZE_KEY,
            CommonConfigurationKeys.IO_FILE_BUFFER_SIZE_DEFAULT);
    if (codec instanceof BZip2Codec) {
      boolean inLibrary = Bzip2Factory.isNativeBzip2Loaded(conf);
      return new CodecMemory(
          BZIP2_READER_BYTES + streamBufferBytes,
          BZIP2_WRITER_BYTES + streamBufferBytes,
          inLibrary ? BZIP2_READER_BYTES : 0,
          inLibrary ? BZIP2_WRITER_BYTES : 0,
          inChunks,
          inChunks);
    }
    if (codec instanceof DefaultCodec) {
      return ofOutside(INFLATER_BYTES, DEFLATER_BYTES, streamBufferBytes, inChunks, false);
    }
    return ofOutside(UNKNOWN_BYTES, UNKNOWN_BYTES, streamBufferBytes, inChunks, inChunks);
  }

  /** A codec outside the heap, with a buffer of the stream on the heap. */
  private static CodecMemory ofOutside(
      long readerBytes, long writerBytes, long bufferBytes, boolean inChunks, boolean inRounds) {
    return new CodecMemory(
        readerBytes + bufferBytes,
        writerBytes + bufferBytes,
        readerBytes,
        writerBytes,
        inChunks,
        inRounds);
  }

  /**
   * The bytes that a task needs outside the heap, whatever it merges: for a compressor, and for
   * reading two chunked runs, or as many streams as stock opens.
   */
  public long leastOutsideBytes() {
    return writerOutsideBytes + (inChunks ? 2 : LEAST_STREAMS) * readerOutsideBytes;
  }

  /** A codec with two direct buffers, and a buffer of the stream on the heap. */
  private static CodecMemory ofBlocks(
      Configuration conf, String key, int defaultBytes, boolean inChunks) {
    long bufferBytes = conf.getInt(key, defaultBytes);
    return ofOutside(2 * bufferBytes, 2 * bufferBytes, bufferBytes, inChunks, inChunks);
  }

  private static CodecMemory ofZstandard(Configuration conf, boolean inChunks) {
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
    return ofOutside(
        2L * bufferBytes + zstdWindowBytes(level),
        2L * bufferBytes + zstdWriterBytes(level),
        bufferBytes,
        inChunks,
        inChunks);
  }

  /** The window that a reader needs for a frame of this level. */
  private static long zstdWindowBytes(int level) {
    return level >= 20 ? 128 << 20 : level >= 10 ? 8 << 20 : 4 << 20;
  }

  /** Window, hash table and chain table of this level for input of unknown length, rounded up. */
  private static long zstdWriterBytes(int level) {
    if (level >= 20) {
      return 800 << 20;
    }
    if (level >= 10) {
      return 92 << 20;
    }
    return level >= 9 ? 17 << 20 : level >= 5 ? 9 << 20 : 5 << 20;
  }
}
