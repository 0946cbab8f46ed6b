package io.sluice.mapreduce.merge;

import io.sluice.spill.record.RunEncoder;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;

/**
 * Compresses each run as one stream of the codec, as stock does. So it asks of a codec what stock
 * asks of it, and no more; see {@link ChunkWriter}.
 *
 * <p>Thread contract, ownership and failure: those of a {@link RunCompressor}.
 */
final class StreamWriter implements RunCompressor {
  private final CompressionCodec codec;
  private final Compressor compressor; // null for a codec that is all stream
  private CompressionOutputStream stream;

  /** Compresses with {@code codec}. */
  StreamWriter(CompressionCodec codec) {
    this.codec = codec;
    this.compressor = CodecPool.getCompressor(codec);
  }

  @Override
  public void begin(RunEncoder.Sink sink) throws IOException {
    OutputStream stored = new StoredBytes(sink);
    if (compressor == null) {
      stream = codec.createOutputStream(stored);
    } else {
      compressor.reset();
      stream = codec.createOutputStream(stored, compressor);
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    stream.write(bytes, offset, length);
  }

  @Override
  public void end() throws IOException {
    stream.close(); // which finishes it, and gives back what the codec took for itself
  }

  @Override
  public int chunkBytes() {
    return 0;
  }

  @Override
  public void close() {
    if (compressor != null) {
      CodecPool.returnCompressor(compressor);
    }
  }

  /** The sink as the stream that codecs want. */
  private static final class StoredBytes extends OutputStream {
    private final RunEncoder.Sink sink;
    private final byte[] one = new byte[1];

    StoredBytes(RunEncoder.Sink sink) {
      this.sink = sink;
    }

    @Override
    public void write(int b) throws IOException {
      one[0] = (byte) b;
      write(one, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      sink.write(b, off, len);
    }
  }
}
