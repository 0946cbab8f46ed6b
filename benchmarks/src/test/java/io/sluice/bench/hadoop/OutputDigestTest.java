package io.sluice.bench.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutputDigestTest {

  /** As Hadoop writes it: a marker in the head, and one behind an escape after each record. */
  private static byte[] file(byte marker, List<String> values) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    byte[] markers = new byte[16];
    Arrays.fill(markers, marker);
    out.write(new byte[] {'S', 'E', 'Q', 6});
    for (String name : List.of("a.Key", "a.Value")) {
      out.writeByte(name.length());
      out.writeBytes(name);
    }
    out.writeBoolean(false);
    out.writeBoolean(false);
    out.writeInt(1);
    for (String text : List.of("name", "value")) {
      out.writeByte(text.length());
      out.writeBytes(text);
    }
    out.write(markers);
    for (String value : values) {
      byte[] record = value.getBytes(StandardCharsets.UTF_8);
      out.writeInt(record.length);
      out.writeInt(1);
      out.write(record);
      out.writeInt(-1);
      out.write(markers);
    }
    return bytes.toByteArray();
  }

  private static String digest(byte[] file) throws IOException {
    return OutputDigest.ofRecords(new ByteArrayInputStream(file));
  }

  @Test
  void theMarkerOfAFileIsNoneOfItsRecords() throws IOException {
    String one = digest(file((byte) 1, List.of("kvalue", "lother")));
    assertEquals(one, digest(file((byte) 2, List.of("kvalue", "lother"))));
    assertTrue(one.startsWith("2 records, "), one);
    assertNotEquals(one, digest(file((byte) 1, List.of("lother", "kvalue"))));
    assertNotEquals(one, digest(file((byte) 1, List.of("kvalue"))));
    assertTrue(digest(file((byte) 1, List.of())).startsWith("0 records, "));
  }

  @Test
  void aFileThatEndsEarlyIsAnError() throws IOException {
    byte[] whole = file((byte) 1, List.of("kvalue"));
    for (int cut = 1; cut < 4 + 16 + 4 + 4 + 6; cut++) {
      byte[] part = Arrays.copyOf(whole, whole.length - cut);
      if (cut != 4 + 16) { // where only the marker between records is missing
        assertThrows(EOFException.class, () -> digest(part), cut + " bytes less");
      }
    }
  }
}
