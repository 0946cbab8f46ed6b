package io.sluice.mapreduce.merge;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.Run.RawLengths;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Decides how many runs a task may merge at once, so that the memory of their readers stays within
 * limits. Each run has a block to parse, its largest record, and the rest of a chunk that did not
 * fit. It may also have a verified block, if reads are shorter than one, and a decrypted block.
 *
 * <p>The memory of the codec ({@link CodecMemory}) counts once for all chunked runs, and once for
 * each run that is one stream ({@link RunForm}). If rounds of a reduce write chunks a compressor
 * counts too.
 */
public final class MergeMemory {
  /** Room for the rest of a record, in front of the next verified block of a run. */
  private static final int REST_BYTES = 8 << 10;

  private static final int MAX_BLOCK_BYTES = 128 << 10;

  /** Heap for the objects of a run, however short it is. */
  private static final int LEAST_RUN_BYTES = 1 << 10;

  /** Most runs of a merge, however short they are. Each has objects, and perhaps an open file. */
  public static final int MAX_RUNS = 1024;

  private static final int MAX_WINDOW_BYTES = 1 << 20;
  private static final int PAGE_BYTES = 4 << 10;

  /** The share of the memory for streams that the compressor of a round may use. */
  private static final int COMPRESSOR_SHARE = 4;

  private final TaskMemory memory;
  private final CodecMemory codec;
  private final int chunkBytes;
  private final long cipherBytes;
  private final boolean writesStreams;

  /**
   * The limits for the runs of a job.
   *
   * @param codec of the runs, or null without compression
   * @param encrypted whether the runs are encrypted
   * @param memory the memory of the task that merges
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

  /** The window to map of each run, if {@code runs} runs of a pool are merged. */
  public int windowBytes(int runs) {
    long shareBytes = memory.mappedBytes() / Math.max(1, runs);
    return (int) Math.max(PAGE_BYTES, Math.min(MAX_WINDOW_BYTES, shareBytes));
  }

  /** The same for runs with chunks of at most this raw length; 0 without chunks. */
  public MergeMemory withChunks(int chunkBytes) {
    return new MergeMemory(memory, codec, chunkBytes, cipherBytes, writesStreams);
  }

  /**
   * The same for a reduce. It does not know yet whether runs have chunks, and its rounds write no
   * streams.
   */
  public MergeMemory ofReduce() {
    return new MergeMemory(memory, codec, 0, cipherBytes, false);
  }

  /**
   * The most runs to merge at once, at least two, whichever of the given runs they are. If all of
   * them fit, further runs of the same kind are counted too.
   *
   * @param recordBytes mean length of the records of a run
   * @param streams the number of runs that are one stream each
   * @param leastBlocksBytes {@link #leastBlockBytes} of the runs, the longest first
   */
  public int maxRuns(long recordBytes, long streams, LongStream leastBlocksBytes) {
    // A block grows by doubling, and the old array stays until the new one is filled.
    long grownBytes = recordBytes > wholeBlockBytes(chunkBytes) ? 3 * recordBytes : 0;
    boolean longRecords = recordBytes > REST_BYTES;
    boolean verifiedApart = codec.readerBytes() > 0 || longRecords;
    long verifiedBytes = verifiedApart ? BlockChecksums.BLOCK_BYTES : 0;
    long restBytes = longRecords ? Math.min(chunkBytes, 2 * recordBytes) : 0;
    long runBytes = grownBytes + verifiedBytes + restBytes + cipherBytes;
    long runs = Math.min(blocks(leastBlocksBytes), readers(runBytes, streams));
    return (int) Math.max(2, Math.min(MAX_RUNS, runs));
  }

  /** The number of runs for whose readers there is room, if streams come first. */
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
   * The number of streams for which the codec has memory outside the heap. A merge always takes
   * {@link CodecMemory#LEAST_STREAMS}, because stock opens as many in the same container.
   *
   * @param writes whether a compressor is in use too
   * @param readsChunks whether a reader for chunks is in use too
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

  /** Memory that exists once, however many runs there are. */
  private long sharedBytes() {
    if (chunkBytes == 0) {
      return 0;
    }
    long decoderBytes = codec.readerBytes() + 2L * chunkBytes;
    return compressesRounds() ? decoderBytes + compressorBytes(chunkBytes) : decoderBytes;
  }

  /** The compressor, and a chunk before and after compression. */
  private long compressorBytes(int chunkBytes) {
    return codec.writerBytes() + 2L * chunkBytes;
  }

  /** The most raw bytes of a chunk; 0 if runs have no chunks. */
  public int chunkBytes() {
    return chunkBytes;
  }

  /**
   * Whether a round of a reduce writes chunks. Otherwise it writes plain records: if no run has
   * chunks, with zlib, or if the compressor would leave too little memory for reading, as with
   * Zstandard from level 9 on.
   */
  public boolean compressesRounds() {
    long compressorBytes = compressorBytes(ChunkLength.MOST_BYTES);
    return chunkBytes > 0
        && codec.inRounds()
        && compressorBytes <= memory.streamsBytes() / COMPRESSOR_SHARE;
  }

  /** The number of the longest blocks for which there is room. */
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
   * The least block in which a run can be parsed: a whole short run, else one of its chunks.
   *
   * @param chunkBytes raw bytes of its chunks; 0 without chunks
   */
  public static long leastBlockBytes(long rawLengthBytes, int chunkBytes) {
    return Math.min(wholeBlockBytes(chunkBytes), rawLengthBytes);
  }

  private static int wholeBlockBytes(int chunkBytes) {
    return REST_BYTES + Math.max(BlockChecksums.BLOCK_BYTES, chunkBytes);
  }

  /**
   * The bytes that the block of each run may have beyond its least length.
   *
   * @param leastBlocksBytes of all runs of the merge
   */
  public long spareBytes(int runs, LongStream leastBlocksBytes) {
    return Math.max(0, memory.blocksBytes() - leastBlocksBytes.sum()) / Math.max(1, runs);
  }

  /**
   * The length of the block in which a run is parsed.
   *
   * @param spareBytes see {@link #spareBytes}
   * @param rawLengthBytes of this run; a block is never longer
   * @param chunkBytes raw bytes of its chunks; 0 without chunks
   */
  public static int blockBytes(long spareBytes, long rawLengthBytes, int chunkBytes) {
    long leastBytes = leastBlockBytes(rawLengthBytes, chunkBytes);
    if (chunkBytes > BlockChecksums.BLOCK_BYTES) {
      return (int) leastBytes; // more room would not hold a second long chunk
    }
    long mostBytes = Math.min(rawLengthBytes, MAX_BLOCK_BYTES);
    return (int) Math.max(leastBytes, Math.min(mostBytes, leastBytes + spareBytes));
  }

  /**
   * The raw length of the chunks that a map writes. If a merge has room for a stream of each run,
   * runs have no chunks, because a stream compresses best. Long chunks compress better than short
   * ones, but each run of a merge needs a block that holds a whole chunk. So the length leaves a
   * merge room for {@value #RUNS_OF_A_MAP} runs of each map.
   *
   * <p>The number of maps comes from {@code mapreduce.job.maps}. A final value in a node's file, or
   * an input format, may have changed it since the submission. So a reduce does not use it; each
   * run has the length of its chunks. A wrong number costs compression, or lets a merge take fewer
   * runs at once.
   */
  public static final class ChunkLength {
    /** A chunk that fits into the least block of a merge. */
    public static final int LEAST_BYTES = BlockChecksums.BLOCK_BYTES;

    public static final int MOST_BYTES = RawLengths.MOST_CHUNK_BYTES;

    private static final int RUNS_OF_A_MAP = 4;

    /** The share of a merge's blocks for one chunk of each map. */
    private static final int SHARE = RUNS_OF_A_MAP + 1; // one more for the rest of a block

    private ChunkLength() {}

    /**
     * The chunk length for the maps of {@code job}; 0 if each run is one stream.
     *
     * @param mostStreams the number of streams for which a merge has room
     * @param blocksBytes the memory for a merge's blocks
     */
    static int of(Configuration job, long mostStreams, long blocksBytes) {
      int maps = maps(job);
      if (maps > 0 && (long) RUNS_OF_A_MAP * maps <= mostStreams) {
        return 0;
      }
      long shareBytes = maps <= 0 ? 0 : blocksBytes / SHARE / maps;
      return (int) Math.max(LEAST_BYTES, Math.min(MOST_BYTES, Long.highestOneBit(shareBytes)));
    }

    /** The number of maps at the submission; 0 if it is not known. */
    private static int maps(Configuration job) {
      try {
        return job.getInt(MRJobConfig.NUM_MAPS, 0);
      } catch (NumberFormatException e) { // stock's maps do not read it
        return 0;
      }
    }
  }
}
