package io.sluice.spark.write;

import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.BlockId;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The stream of one partition of a map task: records go through the serializer, the codec and the
 * cipher into a buffer. The stream stays open over spills. So all chunks of a partition are one
 * stream, for any serializer and codec.
 *
 * <p>Thread contract: one thread. Ownership: the writer closes it, which writes the streams' ends,
 * or discards it. Codecs free some of their memory only when they are closed. Failure: the streams'
 * own; if one cannot be made, none stays open.
 */
final class PartitionStream implements Closeable {
  private static final ClassTag<Object> ANY = ClassTag$.MODULE$.Any();

  private final PartitionBuffer buffer;
  private final OutputStream wrapped;
  private final SerializationStream stream;
  private boolean closed;
  private long pendingRecords;

  PartitionStream(
      PartitionBuffer buffer,
      BlockId id,
      SerializerManager manager,
      SerializerInstance serializer) {
    this.buffer = buffer;
    this.wrapped = manager.wrapStream(id, buffer);
    try {
      this.stream = serializer.serializeStream(wrapped);
    } catch (Throwable e) { // Scala's methods declare no checked exceptions
      buffer.discard();
      Closer.after(e, wrapped);
      throw e;
    }
  }

  void write(Object key, Object value) {
    stream.writeKey(key, ANY);
    stream.writeValue(value, ANY);
    pendingRecords++;
  }

  /** Passes the bytes of its buffer on. */
  void drain() throws IOException {
    buffer.drain();
  }

  /** Number of records since the last call. */
  long takeRecords() {
    long records = pendingRecords;
    pendingRecords = 0;
    return records;
  }

  @Override
  public void close() {
    stream.close();
    closed = true;
  }

  /** Closes the streams and drops their ends; does nothing if they are closed. */
  void discard() throws IOException {
    if (!closed) {
      closed = true;
      buffer.discard();
      Closer.all(stream::close, wrapped); // a serializer that fails leaves its codec open
    }
  }
}
