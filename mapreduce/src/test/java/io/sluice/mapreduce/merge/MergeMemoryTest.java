package io.sluice.mapreduce.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory.ChunkLength;
import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.mapreduce.merge.RunCodec.StreamWriter;
import io.sluice.mapreduce.testing.HeapRunInput;
import io.sluice.mapreduce.testing.UnpooledCodec;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of a codec's streams against what they take, and how many of them that allows. */
final class MergeMemoryTest {
  private static final int STREAMS = 8;
  private static final long WHOLE_BLOCK = 40 << 10;
  private static final TaskMemory AMPLE =
      new TaskMemory(100 << 20, 40 << 20, 64_000_000, Long.MAX_VALUE, 64 << 20);

  private final Configuration conf = new Configuration(false);

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static long heapBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  @ParameterizedTest
  @ValueSource(classes = {SnappyCodec.class, DefaultCodec.class, GzipCodec.class, BZip2Codec.class})
  void streamsTakeNoMoreThanIsSaid(Class<? extends CompressionCodec> type) throws Exception {
    CompressionCodec codec = ReflectionUtils.newInstance(type, conf);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = codec.createOutputStream(bytes)) {
      for (int i = 0; i < 1_000_000; i++) {
        out.write(i ^ i >>> 9);
      }
    }
    byte[] stored = bytes.toByteArray();
    byte[] block = new byte[1000];
    long said = CodecMemory.of(codec, conf).readerBytes();
    List<CodecRunInput> open = new ArrayList<>();
    try {
      open.add(new CodecRunInput(new HeapRunInput(stored), codec)); // loads classes
      assertEquals(1000, open.get(0).read(block, 0, 1000));
      long beforeDirectBytes = directBytes();
      long beforeBytes = directBytes() + heapBytes();
      for (int i = 0; i < STREAMS; i++) {
        open.add(new CodecRunInput(new HeapRunInput(stored), codec));
        assertEquals(1000, open.get(i + 1).read(block, 0, 1000));
      }
      long taken = (directBytes() + heapBytes() - beforeBytes) / STREAMS;
      assertTrue(taken <= said * 1.25, taken + " bytes a stream, expected at most " + said);
      long outside = CodecMemory.of(codec, conf).readerOutsideBytes();
      long direct = (directBytes() - beforeDirectBytes) / STREAMS;
      assertTrue(direct <= outside * 1.25, direct + " bytes direct, at most " + outside);
    } finally {
      for (CodecRunInput input : open) {
        input.close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {SnappyCodec.class, DefaultCodec.class, GzipCodec.class, BZip2Codec.class})
  void compressorsTakeNoMoreThanIsSaid(Class<? extends CompressionCodec> type) throws Exception {
    CompressionCodec codec = ReflectionUtils.newInstance(type, conf);
    long said = CodecMemory.of(codec, conf).writerBytes();
    List<RunCompressor> open = new ArrayList<>();
    try {
      open.add(writing(codec)); // loads classes
      long beforeBytes = directBytes() + heapBytes();
      for (int i = 0; i < STREAMS; i++) {
        open.add(writing(codec));
      }
      long taken = (directBytes() + heapBytes() - beforeBytes) / STREAMS;
      assertTrue(taken <= said * 1.25, taken + " bytes each, expected at most " + said);
    } finally {
      open.forEach(RunCompressor::close);
    }
  }

  private static RunCompressor writing(CompressionCodec codec) throws Exception {
    RunCompressor compressor = new StreamWriter(codec);
    compressor.begin((bytes, offset, length) -> {});
    compressor.write(new byte[1000], 0, 1000);
    return compressor;
  }

  /** 19 is the last level that {@code zstd} itself has without being asked twice. */
  @ParameterizedTest
  @CsvSource({
    "1, 6, true",
    "3, 6, true",
    "8, 10, true",
    "9, 17, false",
    "10, 30, false",
    "19, 90, false"
  })
  void compressorsOfZstandardTakeWhatTheirLevelTakes(int level, int leastMb, boolean compresses) {
    conf.setInt("io.compression.codec.zstd.level", level);
    ZStandardCodec codec = new ZStandardCodec();
    long said = CodecMemory.of(codec, conf).writerBytes();
    assertTrue(said >= leastMb * 1_000_000L, said + " bytes");
    MergeMemory memory = new MergeMemory(codec, conf, false, AMPLE);
    assertEquals(compresses, memory.compressesRounds());
    assertTrue(memory.maxRuns(0, 0, LongStream.of(WHOLE_BLOCK)) > 1000, "chunks");
  }

  /** In MiB, rounded up, as doctor has it: {@code Containers.CODEC_MB}. */
  @Test
  void leastThatACodecNeeds() {
    assertEquals(0, leastCodecMb(null));
    assertEquals(1, leastCodecMb(new DefaultCodec()));
    assertEquals(1, leastCodecMb(new GzipCodec()));
    assertEquals(2, leastCodecMb(new SnappyCodec()));
    assertEquals(2, leastCodecMb(new Lz4Codec()));
    assertEquals(15, leastCodecMb(new ZStandardCodec()));
    conf.set("io.compression.codec.bzip2.library", "java-builtin");
    assertEquals(0, leastCodecMb(new BZip2Codec()), "it is on the heap");
    assertEquals(11, leastCodecMb(new UnpooledCodec()), "ten streams and a compressor");
  }

  private long leastCodecMb(CompressionCodec codec) {
    return (CodecMemory.of(codec, conf).leastOutsideBytes() + (1 << 20) - 1) >> 20;
  }

  /** The same: {@code Containers.COMPRESSOR_MB}. */
  @Test
  void leastThatItsCompressorNeeds() {
    assertEquals(1, compressorMb(new DefaultCodec()));
    assertEquals(1, compressorMb(new GzipCodec()));
    assertEquals(1, compressorMb(new SnappyCodec()));
    assertEquals(1, compressorMb(new Lz4Codec()));
    assertEquals(6, compressorMb(new ZStandardCodec()));
    conf.set("io.compression.codec.bzip2.library", "java-builtin");
    assertEquals(0, compressorMb(new BZip2Codec()));
    assertEquals(1, compressorMb(new UnpooledCodec()));
  }

  private long compressorMb(CompressionCodec codec) {
    return (CodecMemory.of(codec, conf).writerOutsideBytes() + (1 << 20) - 1) >> 20;
  }

  private static TaskMemory bounded(long codecBytes) {
    return new TaskMemory(100 << 20, 40 << 20, 64_000_000, codecBytes, 64 << 20);
  }

  /** Beside a compressor and a decompressor of chunks, where there are any. */
  @Test
  void streamsAreAsManyAsTheCodecHasMemoryFor() {
    MergeMemory memory = new MergeMemory(bounded(20_000_000), codec(1_000_000), 0, 0, true);
    assertEquals(19, memory.maxRuns(0, 2000, LongStream.of(WHOLE_BLOCK)));
    assertEquals(20, memory.ofReduce().maxRuns(0, 2000, LongStream.of(WHOLE_BLOCK)));
    MergeMemory chunks = memory.withChunks(ChunkLength.LEAST_BYTES);
    assertEquals(18, chunks.maxRuns(0, 2000, LongStream.of(WHOLE_BLOCK)));
    assertTrue(chunks.maxRuns(0, 0, LongStream.of(WHOLE_BLOCK)) > 1000);
  }

  /** As stock opens in the same container, if there is heap for them. */
  @Test
  void streamsAreNeverFewerThanStocks() {
    MergeMemory memory = new MergeMemory(bounded(3_000_000), codec(1_000_000), 0, 0, true);
    assertEquals(10, memory.maxRuns(0, 2000, LongStream.of(WHOLE_BLOCK)));
    MergeMemory large = new MergeMemory(bounded(3_000_000), codec(20_000_000), 0, 0, true);
    assertEquals(3, large.maxRuns(0, 2000, LongStream.of(WHOLE_BLOCK)));
  }

  @Test
  void aCodecOnTheHeapIsNotBoundedByWhatIsOutsideIt() {
    conf.set("io.compression.codec.bzip2.library", "java-builtin");
    MergeMemory bounded = new MergeMemory(new BZip2Codec(), conf, false, bounded(0));
    TaskMemory ample = new TaskMemory(100 << 20, 40 << 20, 128 << 20, 0, 64 << 20);
    assertEquals(12, bounded.maxRuns(0, 2000, LongStream.of(WHOLE_BLOCK)));
    assertEquals(
        25,
        new MergeMemory(new BZip2Codec(), conf, false, ample)
            .maxRuns(0, 2000, LongStream.of(WHOLE_BLOCK)));
  }

  @Test
  void windowsOfAllRunsTogetherAreMappedWithinTheirMemory() {
    assertEquals(1 << 20, new MergeMemory(null, conf, false, AMPLE).windowBytes(2));
    assertEquals(64 << 10, new MergeMemory(null, conf, false, AMPLE).windowBytes(1024));
    TaskMemory little = new TaskMemory(4 << 20, 1, 1, 1, 4 << 20);
    assertEquals(4 << 10, new MergeMemory(null, conf, false, little).windowBytes(1024));
    assertEquals(512 << 10, new MergeMemory(null, conf, false, little).windowBytes(8));
    assertEquals(4 << 10, new MergeMemory(null, conf, false, little).windowBytes(5000), "a page");
  }

  /** With known codecs, and not with zlib, the slowest to compress. */
  @Test
  void roundsAreCompressedWhereThatIsCheap() {
    assertFalse(new MergeMemory(new DefaultCodec(), conf, false, AMPLE).compressesRounds());
    assertFalse(new MergeMemory(new GzipCodec(), conf, false, AMPLE).compressesRounds());
    assertTrue(new MergeMemory(new SnappyCodec(), conf, false, AMPLE).compressesRounds());
    assertFalse(new MergeMemory(new BZip2Codec(), conf, false, AMPLE).compressesRounds());
    assertFalse(new MergeMemory(new UnpooledCodec(), conf, false, AMPLE).compressesRounds());
    assertFalse(new MergeMemory(null, conf, false, AMPLE).compressesRounds());
  }

  @Test
  void bufferSizesOfTheJobCount() {
    conf.setInt("io.compression.codec.snappy.buffersize", 1 << 20);
    conf.setInt("io.file.buffer.size", 1 << 20);
    assertEquals(3 << 20, CodecMemory.of(new SnappyCodec(), conf).readerBytes());
    assertTrue(CodecMemory.of(new GzipCodec(), conf).readerBytes() > 1 << 20);
    assertEquals(2 << 20, CodecMemory.of(new UnpooledCodec(), conf).readerBytes());
    assertEquals(0, CodecMemory.of(null, conf).readerBytes());
  }

  /** One whose compressor takes as much, for chunks if it takes anything. */
  private static CodecMemory codec(long readerBytes) {
    boolean inChunks = readerBytes > 0;
    return new CodecMemory(readerBytes, readerBytes, readerBytes, readerBytes, inChunks, true);
  }

  private static int chunks(long readerBytes) {
    return readerBytes > 0 ? ChunkLength.LEAST_BYTES : 0;
  }

  /** Of streams alone. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, 1024",
    "1, 0, 1024",
    "1000000, 0, 59",
    "1000000, 16384, 58",
    "0, 16384, 1024",
    "1000000, 5000000, 3",
    "0, 5000000, 4",
    "64000000, 0, 2",
    "1000000000, 1000000000, 2"
  })
  void maxRuns(long streamBytes, long recordBytes, int expected) {
    assertEquals(
        expected,
        new MergeMemory(AMPLE, codec(streamBytes), chunks(streamBytes), 0, true)
            .maxRuns(recordBytes, 2000, LongStream.of(WHOLE_BLOCK)));
  }

  /** A block more for each run, of what is decrypted. */
  @ParameterizedTest
  @CsvSource({"0, 0, 1024", "0, 16384, 976", "1000000, 0, 58", "64000000, 0, 2"})
  void maxRunsThatAreEncrypted(long streamBytes, long recordBytes, int expected) {
    MergeMemory memory =
        new MergeMemory(AMPLE, codec(streamBytes), chunks(streamBytes), 32 << 10, true);
    assertTrue(
        memory.maxRuns(recordBytes, 2000, LongStream.of(WHOLE_BLOCK))
            <= new MergeMemory(AMPLE, codec(streamBytes), chunks(streamBytes), 0, true)
                .maxRuns(recordBytes, 2000, LongStream.of(WHOLE_BLOCK)));
    assertEquals(expected, memory.maxRuns(recordBytes, 2000, LongStream.of(WHOLE_BLOCK)));
  }

  /** What a codec takes is held once, and not by each run. */
  @ParameterizedTest
  @ValueSource(classes = {SnappyCodec.class, Lz4Codec.class, GzipCodec.class, ZStandardCodec.class})
  void aThousandRunsInChunksAreMergedAtOnce(Class<? extends CompressionCodec> type) {
    CompressionCodec codec = ReflectionUtils.newInstance(type, conf);
    MergeMemory memory = new MergeMemory(codec, conf, false, AMPLE);
    assertTrue(memory.maxRuns(0, 0, LongStream.of(WHOLE_BLOCK)) > 1000);
    assertTrue(memory.maxRuns(0, 2000, LongStream.of(WHOLE_BLOCK)) < 300);
  }

  /** Records of 8 to 40 KiB, which are copied from their chunk, and a few streams among chunks. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, 1024",
    "0, 8192, 1024",
    "0, 8193, 1024",
    "0, 40960, 944",
    "1, 0, 1024",
    "10, 16384, 791",
    "40, 0, 667",
    "59, 0, 87",
    "60, 0, 59",
    "61, 0, 59"
  })
  void maxRunsInChunks(long streams, long recordBytes, int expected) {
    MergeMemory memory = new MergeMemory(AMPLE, codec(1_000_000), ChunkLength.LEAST_BYTES, 0, true);
    assertEquals(expected, memory.maxRuns(recordBytes, streams, LongStream.of(WHOLE_BLOCK)));
  }

  /** Of each map, however long the chunks are that their number allows. */
  @ParameterizedTest
  @ValueSource(ints = {1, 10, 32, 33, 60, 64, 65, 100, 128, 129, 200, 256})
  void fourRunsOfEachMapAreMergedAtOnce(int maps) {
    conf.setInt(MRJobConfig.NUM_MAPS, maps);
    TaskMemory whole = new TaskMemory(100 << 20, 40 << 20, 64 << 20, Long.MAX_VALUE, 64 << 20);
    MergeMemory memory = new MergeMemory(new GzipCodec(), conf, false, whole);
    int chunkBytes = memory.chunkBytes();
    long streams = chunkBytes == 0 ? Long.MAX_VALUE : 0;
    int runs = memory.maxRuns(0, streams, LongStream.of(block(chunkBytes)));
    assertTrue(runs >= 4 * maps, runs + " runs");
    long least = block(chunkBytes);
    long spareBytes = memory.spareBytes(runs, LongStream.generate(() -> least).limit(runs));
    int blockBytes = MergeMemory.blockBytes(spareBytes, Long.MAX_VALUE, chunkBytes);
    assertTrue((long) runs * blockBytes <= 40 << 20, "blocks");
  }

  /** With the defaults of Hadoop's codecs, in a task that has its process and 1 GiB to itself. */
  @Test
  void jobsOfFewMapsHaveStreams() {
    TaskMemory whole = new TaskMemory(100 << 20, 40 << 20, 64 << 20, Long.MAX_VALUE, 64 << 20);
    assertEquals(71, fewMaps(new GzipCodec(), false, whole));
    assertEquals(63, fewMaps(new GzipCodec(), true, whole));
    assertEquals(20, fewMaps(new SnappyCodec(), false, whole));
    assertEquals(3, fewMaps(new ZStandardCodec(), false, whole));
  }

  /** The most of which maps write none in chunks. */
  private int fewMaps(CompressionCodec codec, boolean encrypted, TaskMemory memory) {
    int maps = 0;
    int chunkBytes;
    do {
      conf.setInt(MRJobConfig.NUM_MAPS, ++maps);
      chunkBytes = new MergeMemory(codec, conf, encrypted, memory).chunkBytes();
    } while (chunkBytes == 0);
    return maps - 1;
  }

  /** There would be nothing to share a decompressor with. */
  @Test
  void roundsOfStreamsAreNotCompressed() {
    assertFalse(
        new MergeMemory(AMPLE, codec(1_000_000), 0, 0, true).compressesRounds(),
        "none is in chunks");
    assertTrue(
        new MergeMemory(AMPLE, codec(1_000_000), 0, 0, true)
            .withChunks(1 << 15)
            .compressesRounds());
  }

  /** A record of more than 8 KiB may leave too little room for a chunk, whose rest is held. */
  @Test
  void longChunksOfLongRecordsAreHeldBesideTheirBlocks() {
    CodecMemory codec = CodecMemory.of(new GzipCodec(), conf);
    MergeMemory memory = new MergeMemory(AMPLE, codec, ChunkLength.MOST_BYTES, 0, true);
    long block = block(ChunkLength.MOST_BYTES);
    assertEquals(155, memory.maxRuns(8 << 10, 0, LongStream.of(block)));
    TaskMemory little = new TaskMemory(100 << 20, 40 << 20, 16_000_000, Long.MAX_VALUE, 64 << 20);
    MergeMemory ofLittle = new MergeMemory(little, codec, ChunkLength.MOST_BYTES, 0, true);
    assertEquals(155, ofLittle.maxRuns(8 << 10, 0, LongStream.of(block)));
    int runs = ofLittle.maxRuns(40 << 10, 0, LongStream.of(block));
    assertTrue(runs > 2 && runs * (112L << 10) <= 16_000_000, runs + " runs");
  }

  /** Neither of them is read through a decompressor that others have. */
  @ParameterizedTest
  @ValueSource(classes = {BZip2Codec.class, UnpooledCodec.class})
  void ofOtherCodecsEachRunHasItsOwn(Class<? extends CompressionCodec> type) {
    CompressionCodec codec = ReflectionUtils.newInstance(type, conf);
    long readerBytes = CodecMemory.of(codec, conf).readerBytes();
    assertEquals(
        64_000_000 / (readerBytes + (32 << 10)),
        new MergeMemory(codec, conf, false, AMPLE).maxRuns(0, 2000, LongStream.of(WHOLE_BLOCK)));
  }

  @Test
  void blocksOfAMergeAreBoundedTogether() {
    MergeMemory memory = new MergeMemory(AMPLE, codec(0), 0, 0, true);
    for (int chunkBytes : new int[] {0, ChunkLength.LEAST_BYTES}) {
      for (int runs : new int[] {1, 300, 400, 1024}) {
        long spareBytes = memory.spareBytes(runs, LongStream.generate(() -> 40 << 10).limit(runs));
        long blockBytes = MergeMemory.blockBytes(spareBytes, 1 << 20, chunkBytes);
        assertEquals(Math.min(128 << 10, (40 << 20) / runs), blockBytes, runs + " runs");
      }
    }
  }

  /** Beside which others have what is left. */
  @Test
  void aLongChunkNeedsABlockOfItsOwnRunAlone() {
    MergeMemory memory = new MergeMemory(AMPLE, codec(1_000_000), ChunkLength.MOST_BYTES, 0, true);
    for (long spareBytes : new long[] {0, 1 << 20}) {
      assertEquals(264 << 10, MergeMemory.blockBytes(spareBytes, 1 << 20, ChunkLength.MOST_BYTES));
      assertEquals(1000, MergeMemory.blockBytes(spareBytes, 1000, ChunkLength.MOST_BYTES));
    }
    LongStream half =
        LongStream.concat(
            LongStream.generate(() -> 264 << 10).limit(75),
            LongStream.generate(() -> 40 << 10).limit(75));
    int spareBytes = (int) memory.spareBytes(150, half);
    int others = MergeMemory.blockBytes(spareBytes, 1 << 20, ChunkLength.LEAST_BYTES);
    assertTrue(75 * (264 << 10) + 75 * others <= 40 << 20, others + " bytes each");
    LongStream blocks =
        LongStream.concat(
            LongStream.of(block(ChunkLength.MOST_BYTES)),
            LongStream.generate(() -> WHOLE_BLOCK).limit(999));
    assertTrue(memory.maxRuns(0, 0, blocks) >= 1000);
  }

  private static long block(int chunkBytes) {
    return MergeMemory.leastBlockBytes(Long.MAX_VALUE, chunkBytes);
  }

  @Test
  void aShortRunNeedsNoWholeBlock() {
    assertEquals(10, MergeMemory.blockBytes(1 << 20, 10, 0));
    assertEquals(10, MergeMemory.leastBlockBytes(10, 0));
    assertEquals(WHOLE_BLOCK, MergeMemory.leastBlockBytes(Long.MAX_VALUE, 0));
    assertEquals(WHOLE_BLOCK, MergeMemory.leastBlockBytes(Long.MAX_VALUE, 1));
  }

  /** Whole blocks of long runs, a little for each of short ones, and never more than 1,024. */
  @ParameterizedTest
  @CsvSource({"40960, 25", "20480, 50", "10, 1000", "0, 1000"})
  void blocksOfTheTasksShareBoundTheRuns(long leastBlockBytes, int expected) {
    TaskMemory little = new TaskMemory(4 << 20, 1000 << 10, 64_000_000, Long.MAX_VALUE, 64 << 20);
    assertEquals(
        expected,
        new MergeMemory(little, codec(0), 0, 0, true)
            .maxRuns(0, 2000, LongStream.of(leastBlockBytes)));
  }

  /** A merge takes the longest runs last, and then all at once. */
  @ParameterizedTest
  @CsvSource({"0, 1000", "10, 610", "24, 64", "25, 25", "1000, 25"})
  void aFewLongRunsBoundTheRunsLessThanMany(int longRuns, int most) {
    TaskMemory little = new TaskMemory(4 << 20, 1000 << 10, 64_000_000, Long.MAX_VALUE, 64 << 20);
    LongStream lengths =
        LongStream.concat(
            LongStream.generate(() -> WHOLE_BLOCK).limit(longRuns),
            LongStream.generate(() -> 10).limit(100_000));
    int runs = new MergeMemory(little, codec(0), 0, 0, true).maxRuns(0, 2000, lengths);
    assertEquals(most, runs);
  }
}
