package io.sluice.mapreduce.merge;

import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * A job's codec before the runs of one task: opens them for reading in whatever form they are
 * stored, and compresses others.
 *
 * <p>Thread contract: one thread. Ownership: of what it makes; it holds nothing itself while
 * nothing of that is open.
 */
public final class RunCodec {
  private final CompressionCodec codec;
  private final ChunkDecoder decoder;

  /** Before runs of a job; null if its map outputs are not compressed. */
  public RunCodec(CompressionCodec codec) {
    this.codec = codec;
    this.decoder = new ChunkDecoder(codec);
  }

  /** The form of a run that tells so of its chunks. */
  public RunForm form(int chunkBytes) {
    return RunForm.of(codec, chunkBytes);
  }

  /**
   * One that compresses, or null without a codec.
   *
   * @param chunkBytes raw bytes of its chunks; 0: each run is one stream
   */
  public RunCompressor compressor(int chunkBytes) {
    return switch (form(chunkBytes)) {
      case PLAIN -> null;
      case CHUNKS -> new ChunkWriter(codec, chunkBytes);
      case STREAM -> new StreamWriter(codec);
    };
  }

  /**
   * The records of a run. Those in chunks that are open at a time share one decompressor.
   *
   * @param name how messages call the run
   * @param stored its bytes as they are stored
   * @param chunkBytes raw bytes of its chunks, if it is in such
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
              + " is compressed, but "
              + MRJobConfig.MAP_OUTPUT_COMPRESS
              + " is not set here");
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
}
