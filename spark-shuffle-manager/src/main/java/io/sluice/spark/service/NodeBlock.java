package io.sluice.spark.service;

import io.netty.handler.stream.ChunkedStream;
import io.sluice.spark.pool.StreamRegion;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * A block in the pool of this node's service, as Spark hands blocks around. Nothing is read before
 * somebody wants the bytes.
 *
 * <p>Thread contract: safe from any thread; each stream belongs to one. It owns nothing: retain and
 * release do nothing; the reader closes a stream, or the end of its task does ({@link TaskReads}).
 */
public final class NodeBlock extends ManagedBuffer {
  private final String output;
  private final Finder finder;
  private final TaskReads reads;
  private final long lengthBytes;
  private LocatedBlock unread;

  /** Finds a block, to be read once; empty if it is not there. */
  interface Finder {
    Optional<LocatedBlock> find() throws IOException;
  }

  /**
   * Its first stream is what was found already; the finder finds it anew for each later one.
   *
   * @param output its name, for errors
   * @param reads keeps the streams
   */
  NodeBlock(String output, LocatedBlock found, Finder finder, TaskReads reads) {
    this.output = output;
    this.finder = finder;
    this.reads = reads;
    this.lengthBytes = found.lengthBytes();
    this.unread = found;
  }

  @Override
  public long size() {
    return lengthBytes;
  }

  @Override
  public ByteBuffer nioByteBuffer() throws IOException {
    try (InputStream bytes = createInputStream()) {
      return ByteBuffer.wrap(bytes.readNBytes(Math.toIntExact(lengthBytes)));
    }
  }

  @Override
  public synchronized InputStream createInputStream() throws IOException {
    LocatedBlock next = unread;
    unread = null;
    if (next == null) {
      next = finder.find().orElseThrow(() -> new FileNotFoundException(output + " has been freed"));
    }
    return reads.open(next);
  }

  @Override
  public ManagedBuffer retain() {
    return this;
  }

  @Override
  public ManagedBuffer release() {
    return this;
  }

  /** Verified before the first byte is sent: the peer then gets a refusal, not half a block. */
  @Override
  public Object convertToNetty() throws IOException {
    verify();
    return new StreamRegion(createInputStream(), lengthBytes);
  }

  @Override
  public Object convertToNettyForSsl() throws IOException {
    verify();
    return new ChunkedStream(createInputStream(), StreamRegion.WINDOW_BYTES);
  }

  private void verify() throws IOException {
    try (InputStream bytes = createInputStream()) {
      bytes.transferTo(OutputStream.nullOutputStream());
    }
  }
}
