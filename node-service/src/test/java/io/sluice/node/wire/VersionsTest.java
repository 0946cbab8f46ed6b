package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionsTest {
  private static final Versions OWN = new Versions(14, 16);

  private static DataInputStream said(int newest, int oldest) {
    byte[] bytes = ByteBuffer.allocate(4).putShort((short) newest).putShort((short) oldest).array();
    return new DataInputStream(new ByteArrayInputStream(bytes));
  }

  @Test
  void theNewestIsWrittenFirst() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    OWN.write(new DataOutputStream(bytes));
    assertArrayEquals(HexFormat.of().parseHex("0010000e"), bytes.toByteArray());
    assertEquals(OWN, OWN.readOf(said(16, 14), "a", "b"));
  }

  @ParameterizedTest
  @CsvSource({"14, 14, 14", "9, 15, 15", "16, 16, 16", "16, 99, 16", "0, 65535, 16"})
  void theHighestOfBothIsChosen(int oldest, int newest, int chosen) throws IOException {
    Versions peers = OWN.readOf(said(newest, oldest), "the reader", "this service");
    assertEquals(new Versions(oldest, newest), peers);
    assertEquals(chosen, OWN.chosenWith(peers));
    assertEquals(chosen, peers.chosenWith(OWN));
  }

  @ParameterizedTest
  @CsvSource({"17, 17, 17", "17, 20, 17 to 20", "13, 13, 13", "1, 13, 13"})
  void whoHasNoneInCommonIsOfAnotherRelease(int oldest, int newest, String shown) {
    ProtocolException e =
        assertThrows(
            ProtocolException.class,
            () -> OWN.readOf(said(newest, oldest), "the reader", "this service"));
    assertEquals(
        "the reader is of another release of Sluice: it speaks version "
            + shown
            + " of the protocol, this service speaks 14 to 16",
        e.getMessage());
  }

  /** What a release says that does not know of ranges: one number, and then something else. */
  @Test
  void ofAnOldReleaseOnlyTheNumberIsRead() throws IOException {
    DataInputStream in = said(13, 0xabcd);
    assertThrows(ProtocolException.class, () -> OWN.readOf(in, "the reader", "this service"));
    assertEquals(0xabcd, in.readUnsignedShort());
  }

  @Test
  void aRangeThatIsNoneIsRefused() {
    assertThrows(ProtocolException.class, () -> OWN.readOf(said(15, 16), "a", "b"));
    assertThrows(IllegalArgumentException.class, () -> new Versions(2, 1));
    assertThrows(IllegalArgumentException.class, () -> new Versions(-1, 1));
    assertThrows(IllegalArgumentException.class, () -> new Versions(1, 65_536));
  }

  @ParameterizedTest
  @CsvSource({"14, true", "15, true", "16, true", "13, false", "17, false"})
  void whatIsChosenMustBeSpoken(int chosen, boolean spoken) throws IOException {
    if (spoken) {
      assertEquals(chosen, OWN.readChosen(said(chosen, 0), "a", "b"));
    } else {
      assertThrows(ProtocolException.class, () -> OWN.readChosen(said(chosen, 0), "a", "b"));
    }
  }
}
