package io.sluice.mapreduce.merge;

import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.Decompressor;

/**
 * Decompresses a run that is one compressed stream while it is read. It differs from {@link
 * ChunkedRunInput} in that it holds a decompressor until it is closed.
 *
 * <p>After the last record the stored bytes are read to their end, because the input below verifies
 * them and the codec may stop before the end.
 *
 * <p>Thread contract: one thread. Ownership: owns the input below and a pooled decompressor, both
 * released by {@link #close}. Failure: the exceptions of the codec and of the input below.
 */
final class CodecRunInput implements RunInput {
  private static final int DRAIN_BYTES = 4096;

  private final RunInput stored;
  private final InputStream in;
  private final Decompressor decompressor;
  private boolean closed;

  /** Reads {@code stored} through {@code codec}. */
  CodecRunInput(RunInput stored, CompressionCodec codec) throws IOException {
    this.stored = stored;
    this.decompressor = CodecPool.getDecompressor(codec);
    this.in = open(codec);
  }

  private InputStream open(CompressionCodec codec) throws IOException {
    InputStream bytes = new StoredBytes(stored);
    InputStream opened = null;
    try {
      opened =
          decompressor == null
              ? codec.createInputStream(bytes)
              : codec.createInputStream(bytes, decompressor);
      return opened;
    } catch (RuntimeException | InternalError e) {
      throw damaged(e);
    } finally {
      if (opened == null && decompressor != null) {
        CodecPool.returnDecompressor(decompressor);
      }
    }
  }

  // The type depends on the codec, and on whether its native library is loaded.
  private static IOException damaged(Throwable cause) {
    return new IOException("the compressed bytes are damaged: " + cause, cause);
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
    int n;
    try {
      n = in.read(dst, offset, lengthBytes);
    } catch (RuntimeException | InternalError e) {
      throw damaged(e);
    }
    if (n < 0) {
      byte[] rest = new byte[DRAIN_BYTES];
      while (stored.read(rest, 0, rest.length) >= 0) {}
    }
    return n;
  }

  @Override
  public long remainingBytes() {
    return stored.remainingBytes();
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      in.close(); // releases memory of the codec's own
    } finally {
      if (decompressor != null) {
        CodecPool.returnDecompressor(decompressor);
      }
      stored.close();
    }
  }

  /** The compressed bytes as a stream for the codec. */
  private static final class StoredBytes extends InputStream {
    private final RunInput stored;
    private final byte[] one = new byte[1];

    StoredBytes(RunInput stored) {
      this.stored = stored;
    }

    @Override
    public int read() throws IOException {
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
      return stored.read(b, off, len);
    }

    @Override
    public void close() throws IOException {
      stored.close();
    }
  }
}
