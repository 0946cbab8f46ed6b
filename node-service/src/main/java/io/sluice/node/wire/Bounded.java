package io.sluice.node.wire;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Strings, byte arrays and counts on the wire, each with a bound that the reader checks. */
public final class Bounded {
  private static final int MAX_STRING_BYTES = 4096;

  private Bounded() {}

  /** Writes a length-prefixed UTF-8 string. */
  public static void writeString(DataOutputStream out, String value) throws IOException {
    writeBytes(out, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Reads a string of at most 4 KiB. */
  public static String readString(DataInputStream in) throws IOException {
    return new String(readBytes(in, MAX_STRING_BYTES), StandardCharsets.UTF_8);
  }

  /** Writes a length-prefixed byte array. */
  public static void writeBytes(DataOutputStream out, byte[] value) throws IOException {
    out.writeInt(value.length);
    out.write(value);
  }

  /** Reads a byte array of at most {@code maxBytes}. */
  public static byte[] readBytes(DataInputStream in, int maxBytes) throws IOException {
    byte[] value = new byte[readCount(in, maxBytes, "bytes")];
    in.readFully(value);
    return value;
  }

  /** Reads a count and checks it against {@code max}; {@code what} names it in the error. */
  public static int readCount(DataInputStream in, int max, String what) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > max) {
      throw new ProtocolException(
          "message holds a count of " + count + " " + what + ", expected 0 to " + max);
    }
    return count;
  }

  /** Reads an unsigned byte and checks that it is below {@code limit}. */
  public static int readByteBelow(DataInputStream in, int limit, String what) throws IOException {
    int value = in.readUnsignedByte();
    if (value >= limit) {
      throw new ProtocolException("message holds number " + value + " of " + limit + " " + what);
    }
    return value;
  }
}
