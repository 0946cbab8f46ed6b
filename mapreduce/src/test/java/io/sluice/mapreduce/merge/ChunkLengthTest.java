package io.sluice.mapreduce.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory.ChunkLength;
import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.mapreduce.testing.HeapRunInput;
import io.sluice.spill.format.RunEncoder;
import io.sluice.spill.merge.RunCursor;
import io.sluice.spill.merge.RunInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long the chunks of a job are, and that the blocks of its merges have room for them. */
final class ChunkLengthTest {
  private static final int RECORDS = 4000;
  private static final int VALUE_BYTES = 1000;
  private static final int LONG_VALUE_BYTES = 20 << 10;
  private static final int RUNS = 10;

  private static final long BLOCKS_BYTES = 40 << 20;

  /** Room for none of each run. */
  private static final TaskMemory NO_STREAMS =
      new TaskMemory(100 << 20, BLOCKS_BYTES, 0, Long.MAX_VALUE, 64 << 20);

  private final Configuration job = new Configuration(false);

  @ParameterizedTest
  @CsvSource({
    "-1, 32",
    "0, 32",
    "1, 256",
    "32, 256",
    "33, 128",
    "64, 128",
    "65, 64",
    "128, 64",
    "129, 32",
    "1000, 32",
    "2147483647, 32"
  })
  void isTheShorterTheMoreMapsThereAre(int maps, int expectedKb) {
    job.setInt(MRJobConfig.NUM_MAPS, maps);
    assertEquals(expectedKb << 10, ChunkLength.of(job, 0, BLOCKS_BYTES));
  }

  /** A stream compresses best. */
  @ParameterizedTest
  @CsvSource({"1, 4, 0", "1, 3, 256", "70, 280, 0", "70, 279, 64", "536870912, 3, 32"})
  void areNoneWhereFourStreamsOfEachMapHaveRoom(int maps, long mostStreams, int expectedKb) {
    job.setInt(MRJobConfig.NUM_MAPS, maps);
    assertEquals(expectedKb << 10, ChunkLength.of(job, mostStreams, BLOCKS_BYTES));
  }

  /** In the client's process, which many tasks share. */
  @ParameterizedTest
  @CsvSource({"8, 256", "30, 64", "51, 64", "52, 32"})
  void areShorterWhereBlocksHaveLess(int maps, int expectedKb) {
    job.setInt(MRJobConfig.NUM_MAPS, maps);
    assertEquals(expectedKb << 10, ChunkLength.of(job, 0, 16 << 20));
  }

  /** As in a configuration of somebody who asks no job: tasks have at least a default. */
  @Test
  void isTheLeastWhereNobodyKnowsHowManyMapsThereAre() {
    assertEquals(ChunkLength.LEAST_BYTES, ChunkLength.of(job, Long.MAX_VALUE, BLOCKS_BYTES));
    for (String maps : new String[] {"0", "-1", "many", ""}) {
      job.set(MRJobConfig.NUM_MAPS, maps);
      assertEquals(
          ChunkLength.LEAST_BYTES, ChunkLength.of(job, Long.MAX_VALUE, BLOCKS_BYTES), maps);
    }
  }

  /** Which is seen from reads that return whole chunks: what is copied comes in pieces. */
  @ParameterizedTest
  @CsvSource({"300, 1", "300, 1000", "100, 1", "100, 400", "50, 1", "50, 300", "10, 1", "10, 20"})
  void blocksTakeWholeChunks(int maps, int runs) throws IOException {
    job.setInt(MRJobConfig.NUM_MAPS, maps);
    DefaultCodec codec = ReflectionUtils.newInstance(DefaultCodec.class, job);
    MergeMemory memory = new MergeMemory(codec, job, false, NO_STREAMS);
    RunCodec runCodec = new RunCodec(codec);
    int chunk = memory.chunkBytes();
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    long rawLengthBytes = write(runCodec, chunk, stored, i -> VALUE_BYTES);
    HeapRunInput bytes = new HeapRunInput(stored.toByteArray());
    RunInput chunks = runCodec.open("test", bytes, RunForm.CHUNKS, chunk);
    WholeReads reads = new WholeReads(chunks, chunk, rawLengthBytes);
    int blockBytes = blockBytes(memory, runs, rawLengthBytes);
    int records = 0;
    try (RunCursor cursor = new RunCursor("test", reads, blockBytes)) {
      while (cursor.advance()) {
        records++;
      }
    }
    assertEquals(RECORDS, records);
  }

  private static int blockBytes(MergeMemory memory, int runs, long rawLengthBytes) {
    long leastBytes = MergeMemory.leastBlockBytes(rawLengthBytes, memory.chunkBytes());
    long spareBytes = memory.spareBytes(runs, LongStream.generate(() -> leastBytes).limit(runs));
    return MergeMemory.blockBytes(spareBytes, rawLengthBytes, memory.chunkBytes());
  }

  /** Returns the raw length. */
  private static long write(
      RunCodec codec, int chunk, ByteArrayOutputStream stored, IntUnaryOperator valueBytes)
      throws IOException {
    try (RunCompressor compressor = codec.compressor(chunk)) {
      compressor.begin(stored::write);
      RunEncoder encoder = new RunEncoder(compressor::write);
      byte[] record = new byte[4 + LONG_VALUE_BYTES];
      for (int i = 0; i < RECORDS; i++) {
        encoder.append(record, 0, 4, record, 4, valueBytes.applyAsInt(i));
      }
      encoder.finish();
      compressor.end();
      return encoder.rawLengthBytes();
    }
  }

  /** Which leave less than 256 KiB of a block free again and again. */
  @Test
  void ofFewLongRecordsRunsHoldNoWholeChunks() throws IOException {
    job.setInt(MRJobConfig.NUM_MAPS, 10);
    DefaultCodec codec = ReflectionUtils.newInstance(DefaultCodec.class, job);
    MergeMemory memory = new MergeMemory(codec, job, false, NO_STREAMS);
    RunCodec runCodec = new RunCodec(codec);
    int chunk = memory.chunkBytes();
    List<ChunkedRunInput> inputs = new ArrayList<>();
    List<RunCursor> cursors = new ArrayList<>();
    for (int run = 0; run < RUNS; run++) {
      int first = run;
      ByteArrayOutputStream stored = new ByteArrayOutputStream();
      long rawLengthBytes =
          write(
              runCodec, chunk, stored, i -> (i + first) % 30 == 0 ? LONG_VALUE_BYTES : VALUE_BYTES);
      HeapRunInput bytes = new HeapRunInput(stored.toByteArray());
      inputs.add((ChunkedRunInput) runCodec.open("test", bytes, RunForm.CHUNKS, chunk));
      cursors.add(new RunCursor("test", inputs.get(run), blockBytes(memory, RUNS, rawLengthBytes)));
    }
    int mostBytes = 0;
    for (int i = 0; i < RECORDS; i++) {
      for (int run = 0; run < RUNS; run++) {
        assertTrue(cursors.get(run).advance());
        mostBytes = Math.max(mostBytes, inputs.get(run).heldBytes());
      }
    }
    assertTrue(mostBytes > 0, "no record has left too little room");
    assertTrue(mostBytes < 2 * LONG_VALUE_BYTES, mostBytes + " bytes are held of a chunk");
    for (RunCursor cursor : cursors) {
      assertFalse(cursor.advance());
      cursor.close();
    }
  }

  /** Gives a part of what it is asked for once, as a run does that holds the rest of a chunk. */
  private static final class Uneven implements RunInput {
    private static final int WANTED_BYTES = 256 << 10;
    private final HeapRunInput input;
    private int reads;

    Uneven(byte[] run) {
      input = new HeapRunInput(run);
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      boolean wants = ++reads != 2 && input.remainingBytes() > 0 && lengthBytes > 1;
      assertTrue(!wants || lengthBytes >= WANTED_BYTES, "room for " + lengthBytes + " bytes");
      return input.read(dst, offset, Math.min(lengthBytes, reads == 2 ? 100_000 : WANTED_BYTES));
    }

    @Override
    public int wantedBytes() {
      return WANTED_BYTES;
    }

    @Override
    public long remainingBytes() {
      return input.remainingBytes();
    }

    @Override
    public void close() throws IOException {
      input.close();
    }
  }

  @Test
  void blocksMakeTheRoomThatIsWanted() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    RunEncoder encoder = new RunEncoder(bytes::write);
    byte[] record = new byte[4 + VALUE_BYTES];
    for (int i = 0; i < RECORDS; i++) {
      encoder.append(record, 0, 4, record, 4, VALUE_BYTES);
    }
    encoder.finish();
    int blockBytes = Uneven.WANTED_BYTES + (8 << 10);
    try (RunCursor cursor = new RunCursor("test", new Uneven(bytes.toByteArray()), blockBytes)) {
      for (int i = 0; i < RECORDS; i++) {
        assertTrue(cursor.advance());
      }
      assertFalse(cursor.advance());
    }
  }

  /** Fails for a read that returns less than a chunk. */
  private static final class WholeReads implements RunInput {
    private final RunInput input;
    private final int chunkBytes;
    private long restBytes;

    WholeReads(RunInput input, int chunkBytes, long restBytes) {
      this.input = input;
      this.chunkBytes = chunkBytes;
      this.restBytes = restBytes;
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      int n = input.read(dst, offset, lengthBytes);
      if (n >= 0) {
        assertEquals(Math.min(chunkBytes, restBytes), n, "read of at most " + lengthBytes);
        restBytes -= n;
      }
      return n;
    }

    @Override
    public int wantedBytes() {
      return input.wantedBytes();
    }

    @Override
    public long remainingBytes() {
      return input.remainingBytes();
    }

    @Override
    public void close() throws IOException {
      input.close();
    }
  }
}
