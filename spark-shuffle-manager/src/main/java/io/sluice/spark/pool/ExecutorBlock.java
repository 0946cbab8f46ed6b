package io.sluice.spark.pool;

import io.netty.handler.stream.ChunkedStream;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.RunKey;
import io.sluice.spill.format.OutputIndex.IndexedRun;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * A block in this executor's pool, in the form in which Spark passes blocks on. A read copies its
 * bytes, one window at a time, so a block that outlives the pool or its output fails instead of
 * giving other bytes. Each window is verified before any byte of it is given out. Encrypted bytes
 * are decrypted, and Spark sends them as it sends its own files.
 *
 * <p>Thread contract: immutable; each stream belongs to one thread. It owns nothing: retain and
 * release do nothing.
 */
public final class ExecutorBlock extends ManagedBuffer {
  private final ExecutorPool pool;
  private final CommittedOutput output;
  private final List<IndexedRun> runs;
  private final RunKey key;
  private final long lengthBytes;

  /** A block of these runs of an output; {@code key} is null if they are not encrypted. */
  ExecutorBlock(ExecutorPool pool, CommittedOutput output, List<IndexedRun> runs, RunKey key) {
    this.pool = pool;
    this.output = output;
    this.runs = List.copyOf(runs);
    this.key = key;
    this.lengthBytes =
        runs.stream().mapToLong(indexed -> plainBytes(indexed.run().lengthBytes(), key)).sum();
  }

  /** Length of a run as Spark reads it. */
  static long plainBytes(long storedBytes, RunKey key) {
    return key == null ? storedBytes : DecryptedRunInput.plainBytes(storedBytes);
  }

  @Override
  public long size() {
    return lengthBytes;
  }

  @Override
  public ByteBuffer nioByteBuffer() throws IOException {
    byte[] copy = new byte[Math.toIntExact(lengthBytes)];
    try (InputStream bytes = createInputStream()) {
      bytes.readNBytes(copy, 0, copy.length);
    }
    return ByteBuffer.wrap(copy);
  }

  @Override
  public ExecutorBlockStream createInputStream() {
    return new ExecutorBlockStream(pool, output, runs, key, lengthBytes);
  }

  @Override
  public ManagedBuffer retain() {
    return this;
  }

  @Override
  public ManagedBuffer release() {
    return this;
  }

  /** Verifies all bytes before it sends the first, so that a peer never gets half a block. */
  @Override
  public Object convertToNetty() throws IOException {
    verify();
    return new StreamRegion(createInputStream(), lengthBytes);
  }

  @Override
  public Object convertToNettyForSsl() throws IOException {
    verify();
    return new ChunkedStream(createInputStream(), ExecutorBlockStream.WINDOW_BYTES);
  }

  private void verify() throws IOException {
    try (ExecutorBlockStream bytes = createInputStream()) {
      bytes.verify();
    }
  }
}
