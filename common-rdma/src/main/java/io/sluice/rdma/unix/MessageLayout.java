package io.sluice.rdma.unix;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.unix.NativeSocket.LibcSockets;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of {@code sendmsg(2)} and {@code recvmsg(2)}, in one block of memory. The
 * structures are those of Linux with 64-bit pointers.
 *
 * <pre>
 *  0                56            72                 152
 *  +----------------+-------------+------------------+ - - - - - - - -
 *  | struct msghdr  | struct      | struct cmsghdr,  |  data
 *  |                | iovec       | descriptors      |
 *  +----------------+-------------+------------------+ - - - - - - - -
 *   msghdr:  0 name 8, 8 its length 4, 16 iovec 8, 24 iovecs 8,
 *            32 control 8, 40 its length 8, 48 flags 4
 *   iovec:   0 base 8, 8 length 8
 *   cmsghdr: 0 length 8, 8 level 4, 12 type 4, 16 descriptors 4 each
 * </pre>
 *
 * <p>Thread contract: stateless.
 */
final class MessageLayout {
  /** The most descriptors in one message. */
  static final int MAX_DESCRIPTORS = 16;

  private static final int IOVEC_OFFSET = 56;
  private static final int CONTROL_OFFSET = 72;
  private static final int CONTROL_HEADER_BYTES = 16;
  private static final int CONTROL_BYTES = CONTROL_HEADER_BYTES + MAX_DESCRIPTORS * Integer.BYTES;
  private static final int DATA_OFFSET = CONTROL_OFFSET + CONTROL_BYTES;
  private static final int DATA_BYTES = 16 << 10;

  /** The length of the whole block. */
  static final int BYTES = DATA_OFFSET + DATA_BYTES;

  private MessageLayout() {}

  /** The data bytes of one message. */
  static int dataBytes(int wantedBytes) {
    return Math.min(wantedBytes, DATA_BYTES);
  }

  /** Copies as much of {@code source} as fits; does not change its position. */
  static void putData(ByteBuffer message, ByteBuffer source) {
    int lengthBytes = dataBytes(source.remaining());
    message.put(DATA_OFFSET, source, source.position(), lengthBytes);
    describe(message, lengthBytes);
  }

  /** Prepares to receive this many bytes. */
  static void expectData(ByteBuffer message, int lengthBytes) {
    describe(message, dataBytes(lengthBytes));
  }

  /** Copies the received bytes. */
  static void takeData(ByteBuffer message, ByteBuffer into, int lengthBytes) {
    into.put(message.slice(DATA_OFFSET, lengthBytes));
  }

  private static void describe(ByteBuffer message, int lengthBytes) {
    long start = Pointer.nativeValue(Native.getDirectBufferPointer(message));
    message.putLong(0, 0).putLong(8, 0); // no name: the socket is connected
    message.putLong(16, start + IOVEC_OFFSET).putLong(24, 1);
    message.putInt(48, 0);
    message.putLong(IOVEC_OFFSET, start + DATA_OFFSET).putLong(IOVEC_OFFSET + 8, lengthBytes);
    message.putLong(32, 0).putLong(40, 0);
  }

  /** Adds descriptors; the data must be present already. */
  static void putDescriptors(ByteBuffer message, List<Descriptor> descriptors) {
    if (descriptors.isEmpty()) {
      return;
    }
    int lengthBytes = CONTROL_HEADER_BYTES + descriptors.size() * Integer.BYTES;
    control(message, (lengthBytes + Long.BYTES - 1) & -Long.BYTES);
    message.putLong(CONTROL_OFFSET, lengthBytes);
    message.putInt(CONTROL_OFFSET + 8, LibcSockets.SOL_SOCKET);
    message.putInt(CONTROL_OFFSET + 12, LibcSockets.SCM_RIGHTS);
    for (int i = 0; i < descriptors.size(); i++) {
      message.putInt(
          CONTROL_OFFSET + CONTROL_HEADER_BYTES + i * Integer.BYTES, descriptors.get(i).number());
    }
  }

  /** Prepares to receive as many descriptors as a message may have. */
  static void expectDescriptors(ByteBuffer message) {
    control(message, CONTROL_BYTES);
  }

  private static void control(ByteBuffer message, int lengthBytes) {
    long start = Pointer.nativeValue(Native.getDirectBufferPointer(message));
    message.putLong(32, start + CONTROL_OFFSET).putLong(40, lengthBytes);
  }

  /** The received descriptors, which the caller owns. */
  static List<Descriptor> takeDescriptors(ByteBuffer message) {
    List<Descriptor> descriptors = new ArrayList<>();
    boolean any =
        message.getLong(40) >= CONTROL_HEADER_BYTES
            && message.getInt(CONTROL_OFFSET + 8) == LibcSockets.SOL_SOCKET
            && message.getInt(CONTROL_OFFSET + 12) == LibcSockets.SCM_RIGHTS;
    int endOffset = CONTROL_OFFSET + (any ? (int) message.getLong(CONTROL_OFFSET) : 0);
    for (int offset = CONTROL_OFFSET + CONTROL_HEADER_BYTES;
        offset < endOffset;
        offset += Integer.BYTES) {
      descriptors.add(Descriptor.of(message.getInt(offset)));
    }
    return descriptors;
  }

  /** Whether some descriptors were lost. */
  static boolean isControlCut(ByteBuffer message) {
    return (message.getInt(48) & LibcSockets.MSG_CTRUNC) != 0;
  }
}
