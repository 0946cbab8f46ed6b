package io.sluice.node.wire;

import io.sluice.rdma.memory.Descriptor;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * Cuts a {@link MessageStream} into messages.
 *
 * <pre>
 *   0               4      5
 *   +---------------+------+------------------ - - -
 *   | length        | type | payload (length - 1 bytes)
 *   +---------------+------+------------------ - - -
 *     int32, big-endian: type + payload
 * </pre>
 *
 * <p>Thread contract: one thread. Ownership: closing the stream ends it. Failure: a frame longer
 * than {@link #MAX_FRAME_BYTES} or shorter than its type is a {@link ProtocolException}; the peer
 * speaks something else, and the connection must be closed.
 */
public final class Frames {
  /** Most that a peer can make this side allocate. */
  public static final int MAX_FRAME_BYTES = 16 << 20;

  /** The same where only short messages come, or from a peer that has proven nothing yet. */
  public static final int MAX_SHORT_BYTES = 16 << 10;

  private static final int LENGTH_BYTES = 4;
  private static final int TYPE_BYTES = 1;

  /** Longest payload of a message. */
  public static final int MAX_PAYLOAD_BYTES = MAX_FRAME_BYTES - TYPE_BYTES;

  private final MessageStream stream;
  private final ByteBuffer lengthBuffer = ByteBuffer.allocate(LENGTH_BYTES);

  /** Reads and writes frames on {@code stream}. */
  public Frames(MessageStream stream) {
    this.stream = stream;
  }

  /** Writes a message's payload. */
  @FunctionalInterface
  public interface Payload {
    /** Writes to {@code out}, which is memory unless its length was announced. */
    void writeTo(DataOutputStream out) throws IOException;

    /**
     * How much it writes, if that is too much to be kept until the peer has received it: it is then
     * sent while it is written, and a failure of {@link #writeTo} ends the connection.
     */
    default OptionalInt announcedBytes() {
      return OptionalInt.empty();
    }
  }

  /** Where room comes from for messages that are not short. */
  @FunctionalInterface
  public interface Room {
    /**
     * A message of so many bytes is about to be taken in.
     *
     * @throws RemoteError if there is no room for it
     */
    void take(int lengthBytes) throws IOException;
  }

  /** A message as it came; {@code in} holds its payload. */
  public record Frame(int type, DataInputStream in) {}

  /** The peer's address, for messages. */
  public String peer() {
    return stream.peer();
  }

  /** Where the peer comes from; empty if it is on this host, by a Unix socket. */
  public Optional<InetAddress> peerAddress() throws IOException {
    return stream.peerAddress();
  }

  /** Sends one message whole. */
  public void send(int type, Payload payload, long timeoutMs) throws IOException {
    send(type, payload, List.of(), timeoutMs);
  }

  /** The same with open files, which stay the caller's. */
  public void send(int type, Payload payload, List<Descriptor> descriptors, long timeoutMs)
      throws IOException {
    if (payload.announcedBytes().isPresent()) {
      long lengthBytes = TYPE_BYTES + (long) payload.announcedBytes().getAsInt();
      if (lengthBytes > MAX_FRAME_BYTES) {
        throw new ProtocolException(
            "a message of " + lengthBytes + " bytes exceeds the limit of " + MAX_FRAME_BYTES);
      }
      SentFrame sent = new SentFrame(stream, LENGTH_BYTES + lengthBytes, descriptors, timeoutMs);
      write(type, (int) lengthBytes, payload, sent);
      sent.finish();
    } else {
      FrameBytes bytes = new FrameBytes(LENGTH_BYTES + MAX_FRAME_BYTES);
      write(type, 0, payload, bytes);
      ByteBuffer frame = bytes.buffer();
      frame.putInt(0, frame.capacity() - LENGTH_BYTES);
      stream.writeFully(frame, descriptors, timeoutMs);
    }
  }

  private static void write(int type, int lengthBytes, Payload payload, OutputStream frame)
      throws IOException {
    DataOutputStream out = new DataOutputStream(frame);
    out.writeInt(lengthBytes);
    out.writeByte(type);
    out.flush(); // what is sent while it is written has begun for the peer, whatever becomes of it
    payload.writeTo(out);
  }

  /** Sends one message and the bytes that come behind it, which no copy is made of here. */
  public void send(int type, Payload payload, ByteBuffer behind, long timeoutMs)
      throws IOException {
    send(type, payload, timeoutMs);
    stream.writeFully(behind, timeoutMs);
  }

  /** Receives bytes that come behind a message, as many as {@code into} has room for. */
  public void receiveBehind(ByteBuffer into, long timeoutMs) throws IOException {
    stream.readFully(into, timeoutMs);
  }

  /** Receives bytes that come behind a message, and drops them. */
  public void skipBehind(int lengthBytes, long timeoutMs) throws IOException {
    ByteBuffer scratch = ByteBuffer.allocate(Math.min(lengthBytes, MAX_SHORT_BYTES));
    for (int left = lengthBytes; left > 0; left -= scratch.limit()) {
      stream.readFully(scratch.clear().limit(Math.min(left, scratch.capacity())), timeoutMs);
    }
  }

  /**
   * Receives one message.
   *
   * @param firstByteTimeoutMs how long the peer may stay silent
   * @param timeoutMs how long the rest may take once it has begun
   */
  public Frame receive(long firstByteTimeoutMs, long timeoutMs) throws IOException {
    return receive(MAX_FRAME_BYTES, firstByteTimeoutMs, timeoutMs);
  }

  /**
   * The same of at most so many bytes, where no longer message comes.
   *
   * @param room for a message longer than {@link #MAX_SHORT_BYTES}
   * @throws RemoteError if there is none; the message was passed over then, and the next one begins
   */
  public Frame receive(int maxBytes, Room room, long firstByteTimeoutMs, long timeoutMs)
      throws IOException {
    lengthBuffer.clear().limit(1);
    stream.readFully(lengthBuffer, firstByteTimeoutMs);
    return receiveRest(maxBytes, room, timeoutMs);
  }

  private Frame receive(int maxBytes, long firstByteTimeoutMs, long timeoutMs) throws IOException {
    return receive(maxBytes, lengthBytes -> {}, firstByteTimeoutMs, timeoutMs);
  }

  /**
   * Receives one message that may come with open files.
   *
   * @param descriptors takes these, which the caller closes, also if this fails
   */
  public Frame receive(List<Descriptor> descriptors, long timeoutMs) throws IOException {
    lengthBuffer.clear().limit(1);
    descriptors.addAll(stream.readWithDescriptors(lengthBuffer, timeoutMs));
    return receiveRest(MAX_FRAME_BYTES, lengthBytes -> {}, timeoutMs);
  }

  /**
   * Receives one message, which must be a short one.
   *
   * @param firstByteTimeoutMs how long the peer may stay silent
   * @param timeoutMs how long the rest may take once it has begun
   */
  public Frame receiveShort(long firstByteTimeoutMs, long timeoutMs) throws IOException {
    return receive(MAX_SHORT_BYTES, firstByteTimeoutMs, timeoutMs);
  }

  /** Receives the first message of a peer, which must be a short one. */
  public Frame receiveHello(long timeoutMs) throws IOException {
    return receiveShort(timeoutMs, timeoutMs);
  }

  /** Whether the message that was to be received last has come, or begun to. */
  public boolean hasBegun() {
    return lengthBuffer.position() > 0;
  }

  /** Takes no more memory than twice what has come: an announced length alone costs nothing. */
  private ByteBuffer receiveBody(int lengthBytes, long timeoutMs) throws IOException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    ByteBuffer body = ByteBuffer.allocate(Math.min(lengthBytes, MAX_SHORT_BYTES));
    while (true) {
      stream.readFully(
          body, Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
      if (body.capacity() == lengthBytes) {
        return body;
      }
      ByteBuffer longer = ByteBuffer.allocate((int) Math.min(lengthBytes, 2L * body.capacity()));
      body = longer.put(body.flip());
    }
  }

  private Frame receiveRest(int maxBytes, Room room, long timeoutMs) throws IOException {
    lengthBuffer.limit(LENGTH_BYTES);
    stream.readFully(lengthBuffer, timeoutMs);
    int lengthBytes = lengthBuffer.getInt(0);
    if (lengthBytes < 1 || lengthBytes > maxBytes) {
      throw new ProtocolException(
          "peer %s announced a message of %s bytes, expected 1 to %s"
              .formatted(stream.peer(), lengthBytes, maxBytes));
    }
    if (lengthBytes > MAX_SHORT_BYTES) {
      try {
        room.take(lengthBytes);
      } catch (RemoteError e) {
        skipBehind(lengthBytes, timeoutMs);
        throw e;
      }
    }
    ByteBuffer body = receiveBody(lengthBytes, timeoutMs);
    return new Frame(
        body.get(0) & 0xff, new DataInputStream(new FrameInput(body.array(), 1, lengthBytes)));
  }

  /**
   * A frame while it is written. Differs from {@link java.io.ByteArrayOutputStream} in that it
   * takes no lock for each byte, which were most of the work of a long answer, and is not copied at
   * the end.
   *
   * <p>Failure: {@link ProtocolException} as soon as it is too long.
   */
  static final class FrameBytes extends OutputStream {
    private static final int FIRST_BYTES = 256;

    private final int mostBytes;
    private byte[] bytes = new byte[FIRST_BYTES];
    private int lengthBytes;

    /** Of a frame of up to so many bytes. */
    FrameBytes(int mostBytes) {
      this.mostBytes = mostBytes;
    }

    @Override
    public void write(int b) throws ProtocolException {
      makeRoom(1);
      bytes[lengthBytes++] = (byte) b;
    }

    @Override
    public void write(byte[] source, int offset, int count) throws ProtocolException {
      makeRoom(count);
      System.arraycopy(source, offset, bytes, lengthBytes, count);
      lengthBytes += count;
    }

    private void makeRoom(int moreBytes) throws ProtocolException {
      long neededBytes = (long) lengthBytes + moreBytes;
      if (neededBytes > mostBytes) {
        throw new ProtocolException(
            "a message of " + neededBytes + " bytes so far exceeds the limit of " + mostBytes);
      }
      if (neededBytes > bytes.length) {
        long longer = Math.max(neededBytes, 2L * bytes.length);
        bytes = Arrays.copyOf(bytes, (int) Math.min(mostBytes, longer));
      }
    }

    /** The written bytes; nothing may be written after this. */
    ByteBuffer buffer() {
      return ByteBuffer.wrap(bytes, 0, lengthBytes).slice();
    }
  }

  /**
   * A frame's payload while it is read. Differs from {@link java.io.ByteArrayInputStream} in that
   * it takes no lock for each byte, as {@link Frames.FrameBytes} does where it is written.
   */
  static final class FrameInput extends InputStream {
    private final byte[] bytes;
    private final int end;
    private int position;

    /** Reads from an offset to the end. */
    FrameInput(byte[] bytes, int offset, int end) {
      this.bytes = bytes;
      this.position = offset;
      this.end = end;
    }

    @Override
    public int read() {
      return position < end ? bytes[position++] & 0xff : -1;
    }

    @Override
    public int read(byte[] destination, int offset, int count) {
      int n = Math.min(count, available());
      if (n == 0) {
        return count == 0 ? 0 : -1;
      }
      System.arraycopy(bytes, position, destination, offset, n);
      position += n;
      return n;
    }

    @Override
    public int available() {
      return end - position;
    }
  }
}
