package io.sluice.hadoop.service;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What the tasks of a node are told where Sluice's own classes do not load, in the form of {@code
 * io.sluice.node.wire.NodeMetadata}, which is one of them; a test holds the two together.
 *
 * <pre>
 *   0        4         6             7                11
 *   +--------+---------+-------------+----------------+-----------------+
 *   | "SLCE" | version | DEGRADED, 2 | length of text | reason in UTF-8 |
 *   +--------+---------+-------------+----------------+-----------------+
 * </pre>
 */
final class DegradedNode {
  private static final int MAGIC = 0x534c4345;
  private static final int VERSION = 3;
  private static final int DEGRADED = 2;

  private DegradedNode() {}

  static ByteBuffer metadata(String reason) {
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(MAGIC);
      out.writeShort(VERSION);
      out.writeByte(DEGRADED);
      out.writeInt(text.length);
      out.write(text);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }
}
