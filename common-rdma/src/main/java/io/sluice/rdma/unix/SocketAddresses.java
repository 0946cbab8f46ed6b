package io.sluice.rdma.unix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.file.Path;

/**
 * Paths as {@code struct sockaddr_un}.
 *
 * <pre>
 *  0        2                                              110
 *  +--------+-----------------------------------------------+
 *  | family | path, ended by a zero                         |
 *  +--------+-----------------------------------------------+
 * </pre>
 *
 * <p>Thread contract: stateless.
 */
final class SocketAddresses {
  private static final int FAMILY_BYTES = 2;
  private static final int PATH_BYTES = 108;

  private SocketAddresses() {}

  /** The structure of a path; throws where that does not fit. */
  static byte[] of(Path path) throws IOException {
    byte[] name = path.toString().getBytes(Charset.forName(nameEncoding()));
    if (name.length == 0 || name.length >= PATH_BYTES) {
      throw new IOException(
          "the path " + path + " has " + name.length + " bytes, a socket's 1 to " + PATH_BYTES);
    }
    return ByteBuffer.allocate(FAMILY_BYTES + PATH_BYTES)
        .order(ByteOrder.nativeOrder())
        .putShort((short) LibcSockets.AF_UNIX)
        .put(name)
        .array();
  }

  /** How the JDK turns paths into bytes. */
  private static String nameEncoding() {
    return System.getProperty("sun.jnu.encoding", "UTF-8");
  }
}
