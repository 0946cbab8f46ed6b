package io.sluice.node.wire;

import io.sluice.rdma.memory.Descriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A long frame that is sent while it is written. Unlike {@link Frames.FrameBytes} it holds {@value
 * #CHUNK_BYTES} bytes of it at a time, however slowly the peer receives. The last of them are sent
 * by {@link #finish}: until then the peer has no whole frame.
 *
 * <p>Thread contract: one thread. Failure: those of the stream, {@link SocketTimeoutException} if
 * it is not written in time, and {@link IOException} if more or less is written than was announced;
 * the connection is of no use then.
 */
final class SentFrame extends OutputStream {
  static final int CHUNK_BYTES = 64 << 10;

  private final MessageStream stream;
  private final long announcedBytes;
  private final long timeoutMs;
  private final long deadlineNs;
  private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
  private List<Descriptor> descriptors;
  private long lengthBytes;

  /**
   * Of a frame of so many bytes.
   *
   * @param descriptors go with its first byte
   */
  SentFrame(
      MessageStream stream, long announcedBytes, List<Descriptor> descriptors, long timeoutMs) {
    this.stream = stream;
    this.announcedBytes = announcedBytes;
    this.descriptors = descriptors;
    this.timeoutMs = timeoutMs;
    this.deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
  }

  @Override
  public void write(int b) throws IOException {
    lengthBytes++;
    checkLength(lengthBytes <= announcedBytes);
    if (!chunk.hasRemaining()) {
      send();
    }
    chunk.put((byte) b);
  }

  @Override
  public void write(byte[] source, int offset, int count) throws IOException {
    lengthBytes += count;
    checkLength(lengthBytes <= announcedBytes);
    for (int done = 0; done < count; ) {
      if (!chunk.hasRemaining()) {
        send();
      }
      int some = Math.min(count - done, chunk.remaining());
      chunk.put(source, offset + done, some);
      done += some;
    }
  }

  @Override
  public void flush() throws IOException {
    send();
  }

  /** All of it was written. */
  void finish() throws IOException {
    checkLength(lengthBytes == announcedBytes);
    send();
  }

  private void checkLength(boolean right) throws IOException {
    if (!right) {
      throw new IOException(
          "a message changed while it was sent: %s bytes, announced were %s"
              .formatted(lengthBytes, announcedBytes));
    }
  }

  private void send() throws IOException {
    long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
    if (leftMs <= 0) {
      throw new SocketTimeoutException(
          "a message of %s bytes to %s took longer than %s ms"
              .formatted(announcedBytes, stream.peer(), timeoutMs));
    }
    stream.writeFully(chunk.flip(), descriptors, leftMs);
    descriptors = List.of();
    chunk.clear();
  }
}
