package io.sluice.mapreduce.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.merge.ChunkedRunInput.ChunkDecoder;
import io.sluice.mapreduce.merge.MergeMemory.ChunkLength;
import io.sluice.mapreduce.testing.Codecs;
import io.sluice.mapreduce.testing.HeapRunInput;
import io.sluice.spill.merge.RunInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
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

/** Runs in chunks: written in pieces of any length, read in turn, cut anywhere. */
@Timeout(300)
final class ChunkedRunTest {
  private static final int CHUNK = ChunkLength.LEAST_BYTES;

  private final Random random = new Random(1);

  private byte[] raw(int lengthBytes) {
    byte[] raw = new byte[lengthBytes];
    for (int i = 0; i < raw.length; i++) {
      raw[i] = (byte) random.nextInt(4);
    }
    return raw;
  }

  private byte[] write(ChunkWriter chunks, byte[] raw) throws IOException {
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    chunks.begin(stored::write);
    for (int at = 0; at < raw.length; ) {
      int n = Math.min(raw.length - at, 1 + random.nextInt(2 * CHUNK));
      chunks.write(raw, at, n);
      at += n;
    }
    chunks.end();
    return stored.toByteArray();
  }

  private byte[] write(CompressionCodec codec, byte[] raw) throws IOException {
    try (ChunkWriter chunks = new ChunkWriter(codec, CHUNK)) {
      return write(chunks, raw);
    }
  }

  private static byte[] readAll(RunInput input, int atOnce) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[atOnce];
    for (int n = input.read(buffer, 0, atOnce); n >= 0; n = input.read(buffer, 0, atOnce)) {
      bytes.write(buffer, 0, n);
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        DefaultCodec.class,
        DeflateCodec.class,
        GzipCodec.class,
        SnappyCodec.class,
        Lz4Codec.class,
        ZStandardCodec.class
      })
  void runsOfOneWriterAreReadInTurnThroughOneDecompressor(Class<?> type) throws IOException {
    CompressionCodec codec = Codecs.of(type);
    assertReadInTurn(codec, ChunkLength.LEAST_BYTES);
    assertReadInTurn(codec, ChunkLength.MOST_BYTES);
  }

  private void assertReadInTurn(CompressionCodec codec, int chunk) throws IOException {
    int before = Codecs.decompressors(codec);
    int compressorsBefore = Codecs.compressors(codec);
    List<byte[]> raws = new ArrayList<>();
    List<RunInput> runs = new ArrayList<>();
    ChunkDecoder decoder = new ChunkDecoder(codec);
    try (ChunkWriter chunks = new ChunkWriter(codec, chunk)) {
      for (int length : new int[] {1, chunk - 1, chunk, chunk + 1, 5 * chunk + 77}) {
        raws.add(raw(length));
        runs.add(
            new ChunkedRunInput(
                "test",
                new HeapRunInput(write(chunks, raws.get(raws.size() - 1))),
                decoder,
                chunk));
      }
    }
    assertEquals(compressorsBefore, Codecs.compressors(codec));
    List<ByteArrayOutputStream> read = new ArrayList<>();
    runs.forEach(run -> read.add(new ByteArrayOutputStream()));
    byte[] buffer = new byte[chunk + (8 << 10)];
    for (int ended = 0; ended < runs.size(); ) {
      for (int i = 0; i < runs.size(); i++) {
        int n =
            runs.get(i) == null
                ? 0
                : runs.get(i).read(buffer, 0, 1 + random.nextInt(buffer.length));
        assertTrue(Codecs.decompressors(codec) <= before + 1, "decompressors");
        if (n < 0) {
          runs.get(i).close();
          runs.get(i).close();
          runs.set(i, null);
          ended++;
        } else {
          read.get(i).write(buffer, 0, n);
        }
      }
    }
    for (int i = 0; i < raws.size(); i++) {
      assertArrayEquals(raws.get(i), read.get(i).toByteArray(), "run " + i);
    }
    assertEquals(before, Codecs.decompressors(codec));
  }

  @Test
  void aRunThatIsClosedEarlyGivesTheDecompressorBack() throws IOException {
    CompressionCodec codec = Codecs.of(DefaultCodec.class);
    int before = Codecs.decompressors(codec);
    byte[] stored = write(codec, raw(100_000));
    ChunkDecoder decoder = new ChunkDecoder(codec);
    RunInput first = new ChunkedRunInput("test", new HeapRunInput(stored), decoder, CHUNK);
    RunInput unread = new ChunkedRunInput("test", new HeapRunInput(stored), decoder, CHUNK);
    first.read(new byte[10], 0, 10);
    assertEquals(before + 1, Codecs.decompressors(codec));
    first.close();
    unread.close();
    assertEquals(before, Codecs.decompressors(codec));
    assertArrayEquals(
        raw(0),
        readAll(new ChunkedRunInput("test", new HeapRunInput(new byte[0]), decoder, CHUNK), 10));
  }

  @ParameterizedTest
  @ValueSource(classes = {DefaultCodec.class, GzipCodec.class, SnappyCodec.class})
  void aRunThatWasCutIsNoShorterRun(Class<?> type) throws IOException {
    CompressionCodec codec = Codecs.of(type);
    byte[] first = write(codec, raw(CHUNK));
    byte[] stored = Arrays.copyOf(first, 2 * first.length);
    System.arraycopy(first, 0, stored, first.length, first.length);
    for (int length = 1; length < stored.length; length += length < 20 ? 1 : 97) {
      if (length == first.length) {
        continue; // what is below knows how long a run is
      }
      RunInput cut = open(codec, Arrays.copyOf(stored, length));
      assertThrows(IOException.class, () -> readAll(cut, 1000), "cut at " + length);
      cut.close();
    }
  }

  /** Alone in its merge. */
  private static ChunkedRunInput open(CompressionCodec codec, byte[] stored) {
    return new ChunkedRunInput("test", new HeapRunInput(stored), new ChunkDecoder(codec), CHUNK);
  }

  @Test
  void lengthsThatNoChunkHasAreRefused() throws IOException {
    for (byte[] stored :
        new byte[][] {{0, 1, 1}, {-1, 1, 1}, {1, 0, 1}, {-116, 127, 0, 0, 0, 1, 1}, {-120, 1, 1}}) {
      RunInput run = open(Codecs.of(DefaultCodec.class), stored);
      IOException e = assertThrows(IOException.class, () -> readAll(run, 1000));
      assertTrue(e.getMessage().contains("a chunk has the length"), e.getMessage());
    }
  }

  /** For a chunk that is longer than its writer has told, no merge has counted the memory. */
  @Test
  void aChunkThatIsLongerThanWasToldIsRefused() throws IOException {
    CompressionCodec codec = Codecs.of(DefaultCodec.class);
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    try (ChunkWriter chunks = new ChunkWriter(codec, 2 * CHUNK)) {
      chunks.begin(stored::write);
      chunks.write(raw(CHUNK + 1), 0, CHUNK + 1);
      chunks.end();
    }
    RunInput run = open(codec, stored.toByteArray());
    IOException e = assertThrows(IOException.class, () -> readAll(run, 4 * CHUNK));
    assertTrue(e.getMessage().contains("expected 1 to " + CHUNK), e.getMessage());
  }

  @Test
  void ofAChunkOnlyWhatWasNotReadIsHeld() throws IOException {
    CompressionCodec codec = Codecs.of(DefaultCodec.class);
    byte[] raw = raw(2 * CHUNK);
    ChunkedRunInput run = open(codec, write(codec, raw));
    byte[] read = new byte[raw.length];
    assertEquals(CHUNK - 100, run.read(read, 0, CHUNK - 100));
    assertEquals(100, run.heldBytes());
    assertEquals(60, run.read(read, CHUNK - 100, 60));
    assertEquals(40, run.read(read, CHUNK - 40, CHUNK));
    assertEquals(0, run.heldBytes());
    assertEquals(CHUNK, run.read(read, CHUNK, CHUNK));
    assertArrayEquals(raw, read);
    run.close();
  }

  @Test
  void aChunkOfAnotherLengthIsRefused() throws IOException {
    byte[] stored = write(Codecs.of(DefaultCodec.class), raw(100));
    for (int said : new int[] {99, 101}) {
      stored[0] = (byte) said;
      RunInput run = open(Codecs.of(DefaultCodec.class), stored);
      IOException e = assertThrows(IOException.class, () -> readAll(run, 1000));
      assertTrue(e.getMessage().contains("a chunk has"), e.getMessage());
      run.close();
    }
  }

  @Test
  void aRunThatFailedDoesNotGoOnWithItsNextChunk() throws IOException {
    CompressionCodec codec = Codecs.of(DefaultCodec.class);
    byte[] first = write(codec, raw(CHUNK));
    byte[] stored = Arrays.copyOf(first, 2 * first.length);
    System.arraycopy(first, 0, stored, first.length, first.length);
    stored[first.length - 1] ^= 1; // of the first chunk's checksum
    RunInput run =
        new ChunkedRunInput("of a test", new HeapRunInput(stored), new ChunkDecoder(codec), CHUNK);
    byte[] dst = new byte[CHUNK];
    IOException e = assertThrows(IOException.class, () -> run.read(dst, 0, dst.length));
    assertTrue(e.getMessage().startsWith("run of a test: "), e.getMessage());
    assertThrows(IOException.class, () -> run.read(dst, 0, dst.length));
    run.close();
  }

  /** Which has no decompressor once. */
  public static final class Reluctant extends DefaultCodec {
    private boolean asked;

    @Override
    public Class<? extends Decompressor> getDecompressorType() {
      if (!asked) {
        asked = true;
        throw new IllegalStateException("not now");
      }
      return super.getDecompressorType();
    }
  }

  @Test
  void aRunThatGotNoDecompressorLeavesTheOthersTheirs() throws IOException {
    byte[] raw = raw(1000);
    byte[] stored = write(Codecs.of(DefaultCodec.class), raw);
    ChunkDecoder decoder = new ChunkDecoder(Codecs.of(Reluctant.class));
    RunInput first = new ChunkedRunInput("test", new HeapRunInput(stored), decoder, CHUNK);
    assertThrows(IllegalStateException.class, () -> first.read(new byte[1], 0, 1));
    first.close();
    RunInput second = new ChunkedRunInput("test", new HeapRunInput(stored), decoder, CHUNK);
    assertArrayEquals(raw, readAll(second, 100));
    second.close();
  }

  /** Which makes of a chunk what no reader takes for one. */
  public static final class Inflating extends DefaultCodec {
    @Override
    public CompressionOutputStream createOutputStream(OutputStream out, Compressor compressor) {
      return new CompressionOutputStream(out) {
        @Override
        public void write(int b) throws IOException {
          out.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
          for (int times = 0; times < 5; times++) {
            out.write(bytes, offset, length);
          }
        }

        @Override
        public void finish() {}

        @Override
        public void resetState() {}
      };
    }
  }

  @Test
  void aChunkThatNobodyCouldReadIsNotWritten() {
    CompressionCodec codec = Codecs.of(Inflating.class);
    IOException e = assertThrows(IOException.class, () -> write(codec, raw(CHUNK)));
    assertTrue(e.getMessage().contains("expected at most"), e.getMessage());
  }
}
