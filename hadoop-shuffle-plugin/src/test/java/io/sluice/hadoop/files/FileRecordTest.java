package io.sluice.hadoop.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileRecordTest {
  private static FileRecord read(byte[] bytes) throws IOException {
    return FileRecord.read(new DataInputStream(new ByteArrayInputStream(bytes)), bytes.length);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    ByteArrayOutputStream record = new ByteArrayOutputStream();
    FileRecord.writeInlineHead(new DataOutputStream(record));
    assertArrayEquals(bytes("SLF1\0"), record.toByteArray());
    record.write(bytes("four"));
    assertEquals(new FileRecord(true, Optional.empty(), 4), read(record.toByteArray()));
  }

  @ParameterizedTest
  @CsvSource({"2", "9", "0"})
  void aFileOfAnotherReleaseIsCalledThat(String format) {
    IOException e = assertThrows(IOException.class, () -> read(bytes("SLF" + format + "\0four")));
    assertEquals(
        "this file of sluice://cluster/ is of another release of Sluice: it has format "
            + format
            + ", this release 1",
        e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"SLFx, 534c4678", "SLG1, 534c4731", "<htm, 3c68746d"})
  void anythingElseIsNone(String head, String shown) {
    IOException e = assertThrows(IOException.class, () -> read(bytes(head + "\0four")));
    assertEquals(
        "this is no file of sluice://cluster/: it begins with " + shown + " and 0", e.getMessage());
  }

  @Test
  void aKindThatIsNoneIsRefused() {
    assertThrows(IOException.class, () -> read(bytes("SLF1\2four")));
  }
}
