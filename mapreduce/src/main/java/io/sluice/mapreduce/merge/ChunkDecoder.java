package io.sluice.mapreduce.merge;

import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.Decompressor;

/**
 * The decompressor that all chunked runs of a merge share ({@link ChunkWriter}). The buffers and
 * windows of the codec exist once, however many runs are open.
 *
 * <p>Thread contract: one thread. Ownership: the open runs share it; the last one to close returns
 * the pooled decompressor. Failure: {@link IOException} if a chunk does not decompress to the
 * length in its header.
 */
final class ChunkDecoder {
  private static final byte[] NONE = {};

  private final CompressionCodec codec;
  private final DataInputBuffer chunk = new DataInputBuffer();
  private byte[] stored = NONE;
  private byte[] raw = NONE;
  private int openRuns;
  private Decompressor decompressor; // null while no run is open
  private CompressionInputStream stream;

  /** Gets a decompressor when the first chunk is read. */
  ChunkDecoder(CompressionCodec codec) {
    this.codec = codec;
  }

  void enter() {
    if (openRuns == 0) {
      decompressor = CodecPool.getDecompressor(codec);
    }
    openRuns++; // after getting the decompressor, which may fail
  }

  void leave() {
    if (--openRuns == 0) {
      stream = null;
      stored = NONE;
      raw = NONE;
      CodecPool.returnDecompressor(decompressor);
      decompressor = null;
    }
  }

  /** Decompresses the next {@code storedBytes} of {@code run}, which are {@code rawBytes}. */
  void decode(String name, RunInput run, int storedBytes, byte[] dst, int offset, int rawBytes)
      throws IOException {
    if (stored.length < storedBytes) {
      stored = new byte[storedBytes];
    }
    for (int done = 0; done < storedBytes; ) {
      int n = run.read(stored, done, storedBytes - done);
      if (n < 0) {
        throw new IOException(
            "run " + name + ": a chunk ends after " + done + " of " + storedBytes + " bytes");
      }
      done += n;
    }
    chunk.reset(stored, storedBytes);
    try {
      decompress(dst, offset, rawBytes);
    } catch (IOException | RuntimeException | InternalError e) {
      throw new IOException("run " + name + ": the compressed bytes are damaged: " + e, e);
    }
  }

  /** The same, into an array that is valid until the next chunk of any run. */
  byte[] decode(String name, RunInput run, int storedBytes, int rawBytes) throws IOException {
    if (raw.length < rawBytes) {
      raw = new byte[rawBytes];
    }
    decode(name, run, storedBytes, raw, 0, rawBytes);
    return raw;
  }

  private void decompress(byte[] dst, int offset, int rawBytes) throws IOException {
    if (stream == null) {
      stream = codec.createInputStream(chunk, decompressor);
    } else {
      stream.resetState();
    }
    readAll(stream, dst, offset, rawBytes);
  }

  private static void readAll(InputStream in, byte[] dst, int offset, int rawBytes)
      throws IOException {
    int done = 0;
    while (done < rawBytes) {
      int n = in.read(dst, offset + done, rawBytes - done);
      if (n <= 0) {
        throw new IOException("a chunk has " + done + " bytes, expected " + rawBytes);
      }
      done += n;
    }
    if (in.read() >= 0) {
      throw new IOException("a chunk has more than the expected " + rawBytes + " bytes");
    }
  }
}
