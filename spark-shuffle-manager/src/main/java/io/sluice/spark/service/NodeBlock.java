package io.sluice.spark.service;

import io.netty.handler.stream.ChunkedStream;
import io.sluice.node.remote.PartitionRange;
import io.sluice.spark.pool.StreamRegion;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * A block in the pool of this node's service, in the form in which Spark passes blocks on. Nothing
 * is read before a stream is opened.
 *
 * <p>Thread contract: safe from any thread; each stream belongs to one. It owns nothing: retain and
 * release do nothing. The reader closes a stream, or the end of its task does ({@link TaskReads}).
 */
public final class NodeBlock extends ManagedBuffer {
  private final NodeReads pool;
  private final String output;
  private final PartitionRange partitions;
  private final TaskReads reads;
  private final long lengthBytes;
  private LocatedBlock unread;

  /** Its first stream reads {@code found}; each later one locates the block anew. */
  NodeBlock(
      NodeReads pool,
      String output,
      PartitionRange partitions,
      LocatedBlock found,
      TaskReads reads) {
    this.pool = pool;
    this.output = output;
    this.partitions = partitions;
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
      next =
          pool.locate(output, partitions)
              .orElseThrow(() -> new FileNotFoundException(output + " has been freed"));
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

  /** Verifies all bytes before it sends the first, so that a peer never gets half a block. */
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
