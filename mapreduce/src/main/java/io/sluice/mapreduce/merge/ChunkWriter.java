package io.sluice.mapreduce.merge;

import io.sluice.mapreduce.merge.ChunkedRunInput.ChunkDecoder;
import io.sluice.mapreduce.merge.MergeMemory.ChunkLength;
import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.mapreduce.merge.RunCodec.StreamWriter;
import io.sluice.spill.format.RecordFormat.VInt;
import io.sluice.spill.format.RunEncoder;
import java.io.IOException;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;

/**
 * Compresses a run in chunks, each on its own, so that one decompressor reads all runs of a merge
 * in turn ({@link ChunkDecoder}). It differs from {@link StreamWriter}, with which each open run
 * needs a decompressor with buffers and a window.
 *
 * <pre>
 *   chunk, to the end of the run:   raw length (vint) | stored length (vint) | stored bytes
 * </pre>
 *
 * <p>Every chunk but the last has the same raw length ({@link ChunkLength}).
 *
 * <p>Thread contract, ownership and failure: those of a {@link RunCompressor}.
 */
final class ChunkWriter implements RunCompressor {
  private final CompressionCodec codec;
  private final Compressor compressor;
  private final DataOutputBuffer stored = new DataOutputBuffer();
  private final byte[] header = new byte[2 * VInt.MAX_BYTES];
  private final byte[] raw;
  private int rawLength;
  private CompressionOutputStream stream;
  private RunEncoder.Sink sink;

  /**
   * Compresses with {@code codec}.
   *
   * @param chunkBytes raw bytes of a chunk
   */
  ChunkWriter(CompressionCodec codec, int chunkBytes) {
    this.codec = codec;
    this.raw = new byte[chunkBytes];
    this.compressor = CodecPool.getCompressor(codec);
  }

  /**
   * The most stored bytes of a chunk. It also limits what a reader allocates for a damaged length.
   */
  static int mostStoredBytes(int chunkBytes) {
    return 4 * chunkBytes;
  }

  @Override
  public void begin(RunEncoder.Sink sink) {
    this.sink = sink;
    rawLength = 0;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int at = offset;
    int end = offset + length;
    while (at < end) {
      if (rawLength == 0 && end - at >= raw.length) {
        writeChunk(bytes, at, raw.length);
        at += raw.length;
        continue;
      }
      int n = Math.min(end - at, raw.length - rawLength);
      System.arraycopy(bytes, at, raw, rawLength, n);
      rawLength += n;
      at += n;
      if (rawLength == raw.length) {
        endChunk();
      }
    }
  }

  @Override
  public void end() throws IOException {
    if (rawLength > 0) {
      endChunk();
    }
  }

  private void endChunk() throws IOException {
    writeChunk(raw, 0, rawLength);
    rawLength = 0;
  }

  private void writeChunk(byte[] bytes, int offset, int length) throws IOException {
    stored.reset();
    compress(bytes, offset, length);
    int storedBytes = stored.getLength();
    if (storedBytes > mostStoredBytes(raw.length)) {
      throw new IOException(
          "the codec "
              + codec.getClass().getName()
              + " made "
              + storedBytes
              + " bytes of a chunk of "
              + length
              + " bytes, expected at most "
              + mostStoredBytes(raw.length));
    }
    int headerBytes = VInt.put(header, VInt.put(header, 0, length), storedBytes);
    sink.write(header, 0, headerBytes);
    sink.write(stored.getData(), 0, storedBytes);
  }

  private void compress(byte[] bytes, int offset, int length) throws IOException {
    if (stream == null) {
      compressor.reset();
      stream = codec.createOutputStream(stored, compressor);
    } else {
      stream.resetState();
    }
    stream.write(bytes, offset, length);
    stream.finish();
  }

  @Override
  public int chunkBytes() {
    return raw.length;
  }

  @Override
  public void close() {
    CodecPool.returnCompressor(compressor);
  }
}
