package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedTest {
  private static DataInputStream written(Frames.Payload payload) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    payload.writeTo(new DataOutputStream(bytes));
    return new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
  }

  @Test
  void stringsComeBack() throws IOException {
    for (String text : new String[] {"", "application_1_0001", "größer 短 𝄞", "x".repeat(4096)}) {
      assertEquals(text, Bounded.readString(written(out -> Bounded.writeString(out, text))));
    }
  }

  @Test
  void stringsAreBounded() throws IOException {
    DataInputStream in = written(out -> Bounded.writeString(out, "x".repeat(4097)));
    assertThrows(ProtocolException.class, () -> Bounded.readString(in));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, 4, Integer.MAX_VALUE})
  void countsAreBounded(int count) throws IOException {
    DataInputStream in = written(out -> out.writeInt(count));
    assertThrows(ProtocolException.class, () -> Bounded.readCount(in, 3, "things"));
  }

  @Test
  void theBoundItselfIsAllowed() throws IOException {
    assertEquals(3, Bounded.readCount(written(out -> out.writeInt(3)), 3, "things"));
    assertEquals(1, Bounded.readByteBelow(written(out -> out.writeByte(1)), 2, "tiers"));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 255})
  void numbersOfThingsAreBounded(int number) throws IOException {
    DataInputStream in = written(out -> out.writeByte(number));
    assertThrows(ProtocolException.class, () -> Bounded.readByteBelow(in, 2, "tiers"));
  }

  @Test
  void bytesThatAreMissingAreNoticed() throws IOException {
    DataInputStream in = written(out -> out.writeInt(2));
    assertThrows(EOFException.class, () -> Bounded.readBytes(in, 10));
  }
}
