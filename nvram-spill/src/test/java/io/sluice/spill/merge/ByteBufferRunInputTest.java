package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class ByteBufferRunInputTest extends RunInputContract {
  @Override
  RunInput open(byte[] bytes) {
    return open(bytes, crc32c(bytes), 1 + bytes.length / 3);
  }

  static int crc32c(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /** Pieces of direct memory with an empty one between and foreign bytes around each. */
  static ByteBufferRunInput open(byte[] bytes, int crc, int pieceBytes) {
    List<ByteBuffer> pieces = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += pieceBytes) {
      int length = Math.min(pieceBytes, bytes.length - at);
      ByteBuffer piece = ByteBuffer.allocateDirect(length + 2);
      piece.put(1, bytes, at, length);
      pieces.add(piece.position(1).limit(1 + length));
      pieces.add(ByteBuffer.allocate(0));
    }
    return new ByteBufferRunInput("attempt_7, partition 3", pieces, crc);
  }

  @Test
  void failsBeforeItDeliversTheLastBytesOfDamagedOnes() throws Exception {
    byte[] bytes = new byte[100];
    ByteBufferRunInput input = open(bytes, 0x1234, 40);
    assertEquals(99, input.read(new byte[200], 0, 99));
    byte[] dst = new byte[200];
    ChecksumException e = assertThrows(ChecksumException.class, () -> input.read(dst, 0, 99));
    assertTrue(
        e.getMessage().startsWith("run attempt_7, partition 3: CRC32C of its 100 bytes is "),
        e.getMessage());
    assertTrue(e.getMessage().contains("expected 00001234"), e.getMessage());
    assertThrows(ChecksumException.class, () -> input.read(dst, 0, 99));
  }

  @Test
  void checksAnEmptyRunToo() throws Exception {
    assertEquals(-1, open(new byte[0], 0, 1).read(new byte[1], 0, 1));
    assertThrows(ChecksumException.class, () -> open(new byte[0], 5, 1).read(new byte[1], 0, 1));
  }

  @Test
  void leavesTheBuffersPositionsAlone() throws Exception {
    ByteBuffer piece = ByteBuffer.allocate(8).position(2);
    new ByteBufferRunInput("r", List.of(piece), crc32c(new byte[6])).read(new byte[6], 0, 6);
    assertEquals(2, piece.position());
  }

  @Test
  void touchesNoMemoryAfterClose() {
    ByteBufferRunInput input = open(new byte[10], 0, 10);
    input.close();
    assertThrows(IllegalStateException.class, () -> input.read(new byte[1], 0, 1));
  }
}
