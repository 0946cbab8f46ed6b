package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.wire.Frames.FrameInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FrameInputTest {
  private static final byte[] BYTES = {9, 1, 2, 3, (byte) 0xff, 5, 9};

  @Test
  void givesWhatIsBetweenOffsetAndEnd() throws IOException {
    DataInputStream in = new DataInputStream(new FrameInput(BYTES, 1, 6));
    assertEquals(5, in.available());
    assertEquals(0x010203ff, in.readInt());
    assertEquals(5, in.read());
    assertEquals(0, in.available());
    assertEquals(-1, in.read());
    assertEquals(-1, in.read(new byte[1]));
    assertEquals(0, in.read(new byte[0]));
  }

  @Test
  void givesNoMoreThanThereIs() throws IOException {
    byte[] read = new byte[8];
    assertEquals(5, new FrameInput(BYTES, 1, 6).read(read, 2, 6));
    assertArrayEquals(new byte[] {0, 0, 1, 2, 3, (byte) 0xff, 5, 0}, read);
  }

  @Test
  void aFieldThatIsCutOffIsTheEndOfTheMessage() {
    DataInputStream in = new DataInputStream(new FrameInput(BYTES, 3, 6));
    assertThrows(EOFException.class, in::readInt);
  }
}
