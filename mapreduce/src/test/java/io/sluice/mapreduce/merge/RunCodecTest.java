package io.sluice.mapreduce.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.merge.MergeMemory.ChunkLength;
import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.mapreduce.testing.Codecs;
import io.sluice.mapreduce.testing.HeaderCodec;
import io.sluice.mapreduce.testing.HeapRunInput;
import io.sluice.mapreduce.testing.UnpooledCodec;
import io.sluice.spill.merge.RunInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.DeflateCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked of a codec: of those that are not known no more than stock asks. */
@Timeout(300)
final class RunCodecTest {
  private static final int RUN_BYTES = 100_000; // several chunks
  private static final int RUNS = 3;
  private static final int CHUNK = ChunkLength.LEAST_BYTES;

  private final Random random = new Random(1);

  /** A codec of a user, who changed one of Hadoop's. */
  public static final class Changed extends GzipCodec {}

  @Test
  void onlyKnownCodecsAreWrittenInChunks() {
    for (CompressionCodec codec :
        List.of(
            new DefaultCodec(),
            new DeflateCodec(),
            new GzipCodec(),
            new SnappyCodec(),
            new Lz4Codec(),
            new ZStandardCodec())) {
      assertTrue(RunForm.canBeChunks(codec), codec.getClass().getName());
    }
    for (CompressionCodec codec :
        List.of(new BZip2Codec(), new Changed(), new HeaderCodec(), new UnpooledCodec())) {
      assertFalse(RunForm.canBeChunks(codec), codec.getClass().getName());
    }
    assertFalse(RunForm.canBeChunks(null));
    assertNull(new RunCodec(null).compressor(0));
  }

  /** Whatever the reduce's settings say of the codec: the map has used its own. */
  @Test
  void aRunTellsWhetherItIsInChunks() {
    for (CompressionCodec codec : List.of(new GzipCodec(), new Changed(), new BZip2Codec())) {
      assertEquals(RunForm.CHUNKS, RunForm.of(codec, CHUNK));
      assertEquals(RunForm.STREAM, RunForm.of(codec, 0));
    }
    assertEquals(RunForm.PLAIN, RunForm.of(null, 0));
  }

  /** They would be taken for records. */
  @Test
  void chunksAreRefusedWhereTheJobHasNoCodec() {
    RunCodec codec = new RunCodec(null);
    IOException e =
        assertThrows(
            IOException.class,
            () -> codec.open("a", new HeapRunInput(new byte[0]), codec.form(CHUNK), CHUNK));
    assertTrue(e.getMessage().contains("mapreduce.map.output.compress"), e.getMessage());
  }

  @Test
  void chunksOfNoLengthAreRefused() throws IOException {
    RunCodec codec = new RunCodec(Codecs.of(DefaultCodec.class));
    for (int chunkBytes : new int[] {0, 2 * ChunkLength.MOST_BYTES}) {
      IOException e =
          assertThrows(
              IOException.class,
              () -> codec.open("a", new HeapRunInput(new byte[0]), RunForm.CHUNKS, chunkBytes));
      assertTrue(e.getMessage().contains("a has chunks of " + chunkBytes), e.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        DefaultCodec.class,
        GzipCodec.class,
        SnappyCodec.class,
        Lz4Codec.class,
        ZStandardCodec.class,
        BZip2Codec.class,
        Changed.class,
        HeaderCodec.class,
        UnpooledCodec.class
      })
  void runsOfOneCompressorAreReadTogether(Class<?> type) throws IOException {
    CompressionCodec hadoops = Codecs.of(type);
    assertReadTogether(hadoops, 0);
    if (RunForm.canBeChunks(hadoops)) {
      assertReadTogether(hadoops, CHUNK);
    }
  }

  private void assertReadTogether(CompressionCodec hadoops, int chunkBytes) throws IOException {
    int decompressors = Codecs.decompressors(hadoops);
    int compressors = Codecs.compressors(hadoops);
    RunCodec codec = new RunCodec(hadoops);
    List<byte[]> raws = new ArrayList<>();
    List<RunInput> inputs = new ArrayList<>();
    try (RunCompressor compressor = codec.compressor(chunkBytes)) {
      for (int run = 0; run < RUNS; run++) {
        byte[] raw = new byte[RUN_BYTES];
        for (int i = 0; i < raw.length; i++) {
          raw[i] = (byte) random.nextInt(4);
        }
        ByteArrayOutputStream stored = new ByteArrayOutputStream();
        compressor.begin(stored::write);
        compressor.write(raw, 0, RUN_BYTES / 3);
        compressor.write(raw, RUN_BYTES / 3, RUN_BYTES - RUN_BYTES / 3);
        compressor.end();
        raws.add(raw);
        inputs.add(
            codec.open(
                "run " + run,
                new HeapRunInput(stored.toByteArray()),
                codec.form(chunkBytes),
                chunkBytes));
      }
    }
    byte[][] read = new byte[RUNS][RUN_BYTES];
    for (int at = 0; at < RUN_BYTES; at += 1000) {
      for (int run = 0; run < RUNS; run++) {
        readFully(inputs.get(run), read[run], at, 1000);
      }
    }
    for (int run = 0; run < RUNS; run++) {
      assertArrayEquals(raws.get(run), read[run], "run " + run);
      assertEquals(-1, inputs.get(run).read(new byte[1], 0, 1), "the end of run " + run);
      inputs.get(run).close();
    }
    assertEquals(decompressors, Codecs.decompressors(hadoops));
    assertEquals(compressors, Codecs.compressors(hadoops));
  }

  private static void readFully(RunInput input, byte[] dst, int offset, int length)
      throws IOException {
    for (int done = 0; done < length; ) {
      int n = input.read(dst, offset + done, length - done);
      if (n < 0) {
        throw new IOException("the run ends after " + (offset + done) + " bytes");
      }
      done += n;
    }
  }
}
