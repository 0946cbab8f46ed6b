package io.sluice.mapreduce.merge;

import io.sluice.mapreduce.merge.ChunkedRunInput.ChunkDecoder;
import io.sluice.mapreduce.merge.MergeMemory.ChunkLength;
import io.sluice.spill.format.RunEncoder;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Applies a job's codec to the runs of one task: opens stored runs of any form, and makes
 * compressors.
 *
 * <p>Thread contract: one thread. Ownership: the caller closes what it makes; it holds no memory
 * while nothing is open.
 */
public final class RunCodec {
  private final CompressionCodec codec;
  private final ChunkDecoder decoder;

  /** Applies {@code codec}; null if map outputs are not compressed. */
  public RunCodec(CompressionCodec codec) {
    this.codec = codec;
    this.decoder = new ChunkDecoder(codec);
  }

  /** The form of a run whose recorded chunk length is this. */
  public RunForm form(int chunkBytes) {
    return RunForm.of(codec, chunkBytes);
  }

  /**
   * Makes a compressor, or null without a codec.
   *
   * @param chunkBytes raw bytes of its chunks; 0 if each run is one stream
   */
  public RunCompressor compressor(int chunkBytes) {
    return switch (form(chunkBytes)) {
      case PLAIN -> null;
      case CHUNKS -> new ChunkWriter(codec, chunkBytes);
      case STREAM -> new StreamWriter(codec);
    };
  }

  /**
   * Opens the records of a run. All open chunked runs share one decompressor.
   *
   * @param name of the run, for messages
   * @param stored its stored bytes
   * @param chunkBytes raw bytes of its chunks, if it has chunks
   */
  public RunInput open(String name, RunInput stored, RunForm form, int chunkBytes)
      throws IOException {
    return switch (form) {
      case PLAIN -> stored;
      case CHUNKS -> chunked(name, stored, chunkBytes);
      case STREAM -> new CodecRunInput(stored, codec);
    };
  }

  private RunInput chunked(String name, RunInput stored, int chunkBytes) throws IOException {
    if (codec == null) {
      throw new IOException(
          "run "
              + name
              + " is compressed, but this task's configuration does not set "
              + MRJobConfig.MAP_OUTPUT_COMPRESS);
    }
    if (chunkBytes <= 0 || chunkBytes > ChunkLength.MOST_BYTES) {
      throw new IOException(
          "run "
              + name
              + " has chunks of "
              + chunkBytes
              + " bytes, expected 1 to "
              + ChunkLength.MOST_BYTES);
    }
    return new ChunkedRunInput(name, stored, decoder, chunkBytes);
  }

  /**
   * Compresses runs, one after another.
   *
   * <p>Thread contract: one thread. Ownership: owns a pooled compressor, which {@link #close}
   * returns. Failure: {@link IOException} of the codec or the sink; after that only {@link #close}
   * may be called.
   */
  public interface RunCompressor extends Closeable {
    /** Begins a run; its compressed bytes go to {@code sink}. */
    void begin(RunEncoder.Sink sink) throws IOException;

    /** Appends bytes of the run. */
    void write(byte[] bytes, int offset, int length) throws IOException;

    /** Ends the run. */
    void end() throws IOException;

    /** Raw bytes of its chunks; 0 if a run is one stream. */
    int chunkBytes();

    /** Returns the compressor; called once. */
    @Override
    void close();
  }

  /**
   * Compresses each run as one stream of the codec, as stock does. So it needs no feature of a
   * codec that stock does not need; compare {@link ChunkWriter}.
   *
   * <p>Thread contract, ownership and failure: those of a {@link RunCompressor}.
   */
  static final class StreamWriter implements RunCompressor {
    private final CompressionCodec codec;
    private final Compressor compressor; // null for a codec that has none
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
      stream.close(); // also releases memory of the codec's own
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

    /** The sink as a stream for the codec. */
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
}
