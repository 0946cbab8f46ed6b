package io.sluice.mapreduce.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.testing.UnpooledCodec;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ChecksumException;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DecompressorStream;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compressed runs: whole, cut anywhere, damaged anywhere. */
final class CodecRunInputTest {
  private static final int RAW_BYTES = 3000;

  private static CompressionCodec codec(Class<?> type) {
    return (CompressionCodec) ReflectionUtils.newInstance(type, new Configuration(false));
  }

  private static byte[] raw() {
    byte[] raw = new byte[RAW_BYTES];
    Random random = new Random(1);
    for (int i = 0; i < raw.length; i++) {
      raw[i] = (byte) random.nextInt(4);
    }
    return raw;
  }

  private static byte[] compress(CompressionCodec codec, byte[] raw) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = codec.createOutputStream(bytes)) {
      out.write(raw);
    }
    return bytes.toByteArray();
  }

  private static RunInput stored(byte[] bytes, byte[] checkedAgainst) {
    return new VerifiedRunInput(
        "run",
        new InMemory(ByteBuffer.wrap(bytes)),
        checkedAgainst.length,
        BlockChecksummer.sum(ByteBuffer.wrap(checkedAgainst)));
  }

  /** Bytes as they come. */
  private record InMemory(ByteBuffer bytes) implements RunInput {
    @Override
    public int read(byte[] dst, int offset, int lengthBytes) {
      int n = Math.min(lengthBytes, bytes.remaining());
      bytes.get(dst, offset, n);
      return n == 0 && lengthBytes > 0 ? -1 : n;
    }

    @Override
    public long remainingBytes() {
      return bytes.remaining();
    }

    @Override
    public void close() {}
  }

  private static byte[] readAll(RunInput input) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[100];
    for (int n = input.read(buffer, 0, 100); n >= 0; n = input.read(buffer, 0, 100)) {
      bytes.write(buffer, 0, n);
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {DefaultCodec.class, GzipCodec.class, BZip2Codec.class, UnpooledCodec.class})
  void wholeRun(Class<?> type) throws IOException {
    CompressionCodec codec = codec(type);
    byte[] bytes = compress(codec, raw());
    try (RunInput input = new CodecRunInput(stored(bytes, bytes), codec)) {
      assertArrayEquals(raw(), readAll(input));
      assertEquals(-1, input.read(new byte[1], 0, 1), "the end stays the end");
    }
  }

  /** Nothing passes for the run but the run, and no codec gets to see anything else. */
  @ParameterizedTest
  @ValueSource(
      classes = {DefaultCodec.class, GzipCodec.class, BZip2Codec.class, UnpooledCodec.class})
  void damageAnywhereIsFoundBeforeTheCodecSeesIt(Class<?> type) throws IOException {
    CompressionCodec codec = codec(type);
    byte[] bytes = compress(codec, raw());
    for (int at = 0; at < bytes.length; at += 7) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x15;
      assertInstanceOf(ChecksumException.class, assertFails(codec, damaged, bytes));
      IOException cut = assertFails(codec, Arrays.copyOf(bytes, at), bytes);
      assertTrue(cut.getMessage().contains("ends after " + at + " bytes"), cut.getMessage());
    }
  }

  private static IOException assertFails(
      CompressionCodec codec, byte[] stored, byte[] checkedAgainst) {
    return assertThrows(
        IOException.class,
        () -> {
          try (RunInput input = new CodecRunInput(stored(stored, checkedAgainst), codec)) {
            readAll(input);
          }
        });
  }

  @Test
  void bytesBehindWhatTheCodecReadsAreVerifiedToo() throws IOException {
    CompressionCodec codec = codec(DefaultCodec.class);
    byte[] bytes = compress(codec, raw());
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 10_000);
    byte[] damaged = longer.clone();
    damaged[damaged.length - 1] = 1;
    assertFails(codec, damaged, longer);
  }

  /** As codecs with a native half answer damaged bytes. */
  public static final class Erratic extends DefaultCodec {
    @Override
    public CompressionInputStream createInputStream(InputStream in, Decompressor decompressor)
        throws IOException {
      return new DecompressorStream(in, decompressor, 512) {
        @Override
        public int read(byte[] bytes, int offset, int length) {
          throw new InternalError("lz4 returned: -5");
        }
      };
    }
  }

  @Test
  void errorOfACodecIsAnIoException() {
    CompressionCodec codec = codec(Erratic.class);
    assertFails(codec, new byte[10], new byte[10]);
  }

  @Test
  void decompressorGoesBackToItsPoolOnce() throws IOException {
    CompressionCodec codec = codec(DefaultCodec.class);
    byte[] bytes = compress(codec, raw());
    int before = CodecPool.getLeasedDecompressorsCount(codec);
    RunInput input = new CodecRunInput(stored(bytes, bytes), codec);
    assertTrue(CodecPool.getLeasedDecompressorsCount(codec) > before);
    input.close();
    input.close();
    assertEquals(before, CodecPool.getLeasedDecompressorsCount(codec));
  }
}
