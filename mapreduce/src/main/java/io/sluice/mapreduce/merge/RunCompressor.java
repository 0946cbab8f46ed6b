package io.sluice.mapreduce.merge;

import io.sluice.spill.record.RunEncoder;
import java.io.Closeable;
import java.io.IOException;

/**
 * Compresses runs, one after another.
 *
 * <p>Thread contract: one thread. Ownership: owns a pooled compressor, given back by {@link
 * #close}. Failure: {@link IOException} of the codec or the sink; it is then good for nothing but
 * {@link #close}.
 */
public interface RunCompressor extends Closeable {
  /** Begins a run, whose compressed bytes {@code sink} takes. */
  void begin(RunEncoder.Sink sink) throws IOException;

  /** Appends bytes of the run. */
  void write(byte[] bytes, int offset, int length) throws IOException;

  /** Ends the run. */
  void end() throws IOException;

  /** Raw bytes of its chunks; 0 if a run is one stream. */
  int chunkBytes();

  /** To be called once. */
  @Override
  void close();
}
