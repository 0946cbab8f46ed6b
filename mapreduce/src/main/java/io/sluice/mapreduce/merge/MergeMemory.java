package io.sluice.mapreduce.merge;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.spill.format.BlockChecksums;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * How many runs a task may merge at once, so that what their readers hold stays within bounds: a
 * block to parse in for each, the largest of its records, the block that is verified for whoever
 * asks for less, what is left of a chunk that has no room, and the block that is decrypted if runs
 * are encrypted.
 *
 * <p>What the job's codec takes ({@link CodecMemory}) is held once for all runs in chunks, and once
 * for each run that is one stream ({@link RunForm}). Where rounds of a reduce write chunks, a
 * compressor counts besides.
 */
public final class MergeMemory {
  /** What may be left of the record before, when a block of a run is verified behind it. */
  private static final int REST_BYTES = 8 << 10;

  private static final int MAX_BLOCK_BYTES = 128 << 10;

  /** What objects of a run take besides, however short it is. */
  private static final int LEAST_RUN_BYTES = 1 << 10;

  /** Most runs of a merge, however short they are: each has objects, and perhaps an open file. */
  public static final int MAX_RUNS = 1024;

  private static final int MAX_WINDOW_BYTES = 1 << 20;
  private static final int PAGE_BYTES = 4 << 10;

  /** The part of the memory for streams that the compressor of a round may have. */
  private static final int COMPRESSOR_SHARE = 4;

  private final TaskMemory memory;
  private final CodecMemory codec;
  private final int chunkBytes;
  private final long cipherBytes;
  private final boolean writesStreams;

  /**
   * For the runs of a job.
   *
   * @param codec of the runs, or null if they are not compressed
   * @param encrypted whether they are
   * @param memory what the task that merges them may take
   */
  public MergeMemory(
      CompressionCodec codec, Configuration conf, boolean encrypted, TaskMemory memory) {
    this(memory, CodecMemory.of(codec, conf), conf, encrypted ? BlockChecksums.BLOCK_BYTES : 0);
  }

  private MergeMemory(TaskMemory memory, CodecMemory codec, Configuration conf, long cipherBytes) {
    this(memory, codec, chunkBytes(memory, codec, conf, cipherBytes), cipherBytes, true);
  }

  private static int chunkBytes(
      TaskMemory memory, CodecMemory codec, Configuration conf, long cipherBytes) {
    long streamBytes = codec.readerBytes() + BlockChecksums.BLOCK_BYTES + cipherBytes;
    return codec.inChunks()
        ? ChunkLength.of(
            conf,
            Math.min(memory.streamsBytes() / streamBytes, codecStreams(memory, codec, true, true)),
            memory.blocksBytes())
        : 0;
  }

  MergeMemory(
      TaskMemory memory,
      CodecMemory codec,
      int chunkBytes,
      long cipherBytes,
      boolean writesStreams) {
    this.memory = memory;
    this.codec = codec;
    this.chunkBytes = chunkBytes;
    this.cipherBytes = cipherBytes;
    this.writesStreams = writesStreams;
  }

  /** Mapped at a time of each of so many runs that are merged where they lie in a pool. */
  public int windowBytes(int runs) {
    long shareBytes = memory.mappedBytes() / Math.max(1, runs);
    return (int) Math.max(PAGE_BYTES, Math.min(MAX_WINDOW_BYTES, shareBytes));
  }

  /** The same for runs whose chunks have up to so many raw bytes; 0 without chunks. */
  public MergeMemory withChunks(int chunkBytes) {
    return new MergeMemory(memory, codec, chunkBytes, cipherBytes, writesStreams);
  }

  /**
   * The same for a reduce, which is not known to have chunks yet, and whose rounds write no stream.
   */
  public MergeMemory ofReduce() {
    return new MergeMemory(memory, codec, 0, cipherBytes, false);
  }

  /**
   * Most runs to merge at once, at least two, whichever of these they are; if all of them may be
   * merged, with as many more of their kind.
   *
   * @param recordBytes mean length of the records of one
   * @param streams how many of them are compressed as one stream each
   * @param leastBlocksBytes of the runs, the longest first, see {@link #leastBlockBytes}
   */
  public int maxRuns(long recordBytes, long streams, LongStream leastBlocksBytes) {
    // A block that has to grow doubles, and the old array is there until the new one is filled.
    long grownBytes = recordBytes > wholeBlockBytes(chunkBytes) ? 3 * recordBytes : 0;
    boolean longRecords = recordBytes > REST_BYTES;
    boolean verifiedApart = codec.readerBytes() > 0 || longRecords;
    long verifiedBytes = verifiedApart ? BlockChecksums.BLOCK_BYTES : 0;
    long restBytes = longRecords ? Math.min(chunkBytes, 2 * recordBytes) : 0;
    long runBytes = grownBytes + verifiedBytes + restBytes + cipherBytes;
    long runs = Math.min(blocks(leastBlocksBytes), readers(runBytes, streams));
    return (int) Math.max(2, Math.min(MAX_RUNS, runs));
  }

  /** For how many runs there is room for their readers, if those that are streams come first. */
  private long readers(long runBytes, long streams) {
    if (runBytes == 0) {
      return Long.MAX_VALUE;
    }
    long roomBytes = memory.streamsBytes() - sharedBytes();
    long codecStreams =
        codecStreams(memory, codec, writesStreams || compressesRounds(), chunkBytes > 0);
    long onlyStreams =
        Math.min(
            roomBytes / (runBytes + codec.readerBytes()),
            Math.max(CodecMemory.LEAST_STREAMS, codecStreams));
    return onlyStreams < streams
        ? onlyStreams
        : (roomBytes - streams * codec.readerBytes()) / runBytes;
  }

  /**
   * For how many streams the codec has memory outside the heap. A merge takes {@link
   * CodecMemory#LEAST_STREAMS} in any case: stock opens as many in the same container.
   *
   * @param writes whether something compresses besides
   * @param readsChunks whether one more reader is for chunks
   */
  private static long codecStreams(
      TaskMemory memory, CodecMemory codec, boolean writes, boolean readsChunks) {
    if (codec.readerOutsideBytes() == 0) {
      return Long.MAX_VALUE;
    }
    long writerBytes = writes ? codec.writerOutsideBytes() : 0;
    long chunksBytes = readsChunks ? codec.readerOutsideBytes() : 0;
    long roomBytes = memory.codecBytes() - writerBytes - chunksBytes;
    return Math.max(0, roomBytes / codec.readerOutsideBytes());
  }

  /** What is held once, however many runs there are. */
  private long sharedBytes() {
    if (chunkBytes == 0) {
      return 0;
    }
    long decoderBytes = codec.readerBytes() + 2L * chunkBytes;
    return compressesRounds() ? decoderBytes + compressorBytes(chunkBytes) : decoderBytes;
  }

  /** With a chunk before and after it is compressed. */
  private long compressorBytes(int chunkBytes) {
    return codec.writerBytes() + 2L * chunkBytes;
  }

  /** Raw bytes of the chunks, at most; 0 if runs are not in chunks. */
  public int chunkBytes() {
    return chunkBytes;
  }

  /**
   * Whether a round of a reduce writes chunks, rather than records as they are. It does not where
   * no run is in chunks, with zlib, nor where the compressor would leave too little for reading, as
   * that of Zstandard from level 9 on.
   */
  public boolean compressesRounds() {
    long compressorBytes = compressorBytes(ChunkLength.MOST_BYTES);
    return chunkBytes > 0
        && codec.inRounds()
        && compressorBytes <= memory.streamsBytes() / COMPRESSOR_SHARE;
  }

  /** For how many of the longest blocks there is room. */
  private long blocks(LongStream leastBlocksBytes) {
    long runs = 0;
    long blocksBytes = 0;
    for (var blocks = leastBlocksBytes.limit(MAX_RUNS).iterator(); blocks.hasNext(); runs++) {
      long withBytes = blocksBytes + Math.max(LEAST_RUN_BYTES, blocks.next());
      if (withBytes > memory.blocksBytes()) {
        return runs;
      }
      blocksBytes = withBytes;
    }
    long meanBytes = runs == 0 ? LEAST_RUN_BYTES : blocksBytes / runs;
    return runs + (memory.blocksBytes() - blocksBytes) / meanBytes;
  }

  /**
   * The least block to parse a run in: the whole run, if it is short, else one of its chunks.
   *
   * @param chunkBytes raw bytes of its chunks; 0 without
   */
  public static long leastBlockBytes(long rawLengthBytes, int chunkBytes) {
    return Math.min(wholeBlockBytes(chunkBytes), rawLengthBytes);
  }

  private static int wholeBlockBytes(int chunkBytes) {
    return REST_BYTES + Math.max(BlockChecksums.BLOCK_BYTES, chunkBytes);
  }

  /**
   * What the block of each run of a merge may have beyond its least.
   *
   * @param leastBlocksBytes of all of its runs
   */
  public long spareBytes(int runs, LongStream leastBlocksBytes) {
    return Math.max(0, memory.blocksBytes() - leastBlocksBytes.sum()) / Math.max(1, runs);
  }

  /**
   * The block to parse in that a run gets.
   *
   * @param spareBytes see {@link #spareBytes}
   * @param rawLengthBytes of this one; it needs no more
   * @param chunkBytes raw bytes of its chunks; 0 without
   */
  public static int blockBytes(long spareBytes, long rawLengthBytes, int chunkBytes) {
    long leastBytes = leastBlockBytes(rawLengthBytes, chunkBytes);
    if (chunkBytes > BlockChecksums.BLOCK_BYTES) {
      return (int) leastBytes; // what is left behind a long chunk is no room for the next one
    }
    long mostBytes = Math.min(rawLengthBytes, MAX_BLOCK_BYTES);
    return (int) Math.max(leastBytes, Math.min(mostBytes, leastBytes + spareBytes));
  }
}
