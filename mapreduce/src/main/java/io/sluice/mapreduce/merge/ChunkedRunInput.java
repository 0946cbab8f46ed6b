package io.sluice.mapreduce.merge;

import io.sluice.spill.format.RecordFormat.VInt;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.Decompressor;

/**
 * A run of chunks. A chunk is decompressed when it is read, into the caller's array if it fits
 * there, else into an array of the decoder.
 *
 * <p>It differs from {@link CodecRunInput} in that it holds no decompressor between two reads, only
 * the rest of a chunk that did not fit. If the caller's block is a little longer than a chunk, the
 * rest is shorter than two records.
 *
 * <p>Thread contract: that of its decoder. Ownership: owns the input below. Failure: {@link
 * IOException} of the decoder or the input below, and for a wrong length of a chunk. After a
 * failure every read fails, because it would skip a chunk.
 */
final class ChunkedRunInput implements RunInput {
  private static final byte[] NONE = {};

  private final String name;
  private final RunInput stored;
  private final ChunkDecoder decoder;
  private final int chunkBytes;
  private final byte[] header = new byte[VInt.MAX_BYTES];
  private byte[] rest = NONE; // of a chunk
  private int restPosition;
  private IOException failure; // of a read, or null
  private boolean entered;
  private boolean closed;

  /**
   * Reads a run through the decoder of its merge.
   *
   * @param name for messages
   * @param chunkBytes raw bytes of its chunks, as recorded by its writer; the merge has memory for
   *     no longer ones
   */
  ChunkedRunInput(String name, RunInput stored, ChunkDecoder decoder, int chunkBytes) {
    this.name = name;
    this.stored = stored;
    this.decoder = decoder;
    this.chunkBytes = chunkBytes;
  }

  @Override
  public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
    if (failure != null) {
      throw failure;
    }
    try {
      return lengthBytes == 0 ? 0 : readChunk(dst, offset, lengthBytes);
    } catch (IOException e) {
      failure = e;
      throw e;
    } catch (RuntimeException | Error e) {
      failure = new IOException("run " + name + " could not be read: " + e, e);
      throw e;
    }
  }

  /** Reads from the current chunk, or from the next one. */
  private int readChunk(byte[] dst, int offset, int lengthBytes) throws IOException {
    if (rest.length > 0) {
      return readRest(dst, offset, lengthBytes);
    }
    if (stored.read(header, 0, 1) < 0) {
      return -1;
    }
    int rawBytes = length(chunkBytes);
    readFully(0, 1);
    int storedBytes = length(ChunkWriter.mostStoredBytes(chunkBytes));
    if (!entered) {
      decoder.enter();
      entered = true;
    }
    if (lengthBytes >= rawBytes) {
      decoder.decode(name, stored, storedBytes, dst, offset, rawBytes);
      return rawBytes;
    }
    byte[] chunk = decoder.decode(name, stored, storedBytes, rawBytes);
    System.arraycopy(chunk, 0, dst, offset, lengthBytes);
    rest = Arrays.copyOfRange(chunk, lengthBytes, rawBytes);
    restPosition = 0;
    return lengthBytes;
  }

  private int readRest(byte[] dst, int offset, int lengthBytes) {
    int n = Math.min(lengthBytes, rest.length - restPosition);
    System.arraycopy(rest, restPosition, dst, offset, n);
    restPosition += n;
    if (restPosition == rest.length) {
      rest = NONE;
    }
    return n;
  }

  /** Bytes of a chunk that it holds. */
  int heldBytes() {
    return rest.length;
  }

  /** Reads the rest of a length whose first byte was read. */
  private int length(int mostBytes) throws IOException {
    int size = VInt.sizeAt(header[0]);
    readFully(1, size);
    int length = VInt.get(header, 0);
    if (length <= 0 || length > mostBytes) {
      throw new IOException(
          "run "
              + name
              + ": damaged: a chunk has the length "
              + length
              + ", expected 1 to "
              + mostBytes
              + " bytes");
    }
    return length;
  }

  private void readFully(int from, int to) throws IOException {
    for (int at = from; at < to; at++) {
      if (stored.read(header, at, 1) < 0) {
        throw new IOException("run " + name + " ends in the lengths of a chunk");
      }
    }
  }

  @Override
  public int wantedBytes() {
    return chunkBytes;
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
    rest = NONE;
    try {
      if (entered) {
        decoder.leave();
      }
    } finally {
      stored.close();
    }
  }

  /**
   * The decompressor that all chunked runs of a merge share ({@link ChunkWriter}). The buffers and
   * windows of the codec exist once, however many runs are open.
   *
   * <p>Thread contract: one thread. Ownership: the open runs share it; the last one to close
   * returns the pooled decompressor. Failure: {@link IOException} if a chunk does not decompress to
   * the length in its header.
   */
  static final class ChunkDecoder {
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
}
