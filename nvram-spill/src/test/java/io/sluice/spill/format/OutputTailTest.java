package io.sluice.spill.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterLayout.LocationRecord;
import io.sluice.spill.format.FooterReader.ByteSource;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Bytes of identities and places: what was written by one release is read by the next. */
class OutputTailTest {
  private static final int BLOCK_BYTES = 4096;
  private static final UUID POOL = new UUID(0x0123456789abcdefL, 0xfedcba9876543210L);
  private static final OutputId ID = new OutputId("application_1_0001", "attempt_1_0001_m_1_0");
  private static final int INDEX_BYTES = 8 * 4 + 48 * 2 + 4;

  private static final OutputIdentity IDENTITY =
      new OutputIdentity(ID, 5, 3, 2, 1001, 1008, INDEX_BYTES, 0x11223344);

  private static final String IDENTITY_HEX =
      "534c554943454944"
          + "00000005"
          + "10323768"
          + "0000000000000005"
          + "00000000000003e9"
          + "00000000000003f0"
          + "00000084"
          + "11223344"
          + "00000003"
          + "00000002"
          + "0012"
          + "0014"
          + "00000000"
          + "6170706c69636174696f6e5f315f30303031" // application_1_0001
          + "617474656d70745f315f303030315f6d5f315f30" // attempt_1_0001_m_1_0
          + "0000";

  private static final String PLACE_HEX =
      "00000007"
          + "00000000"
          + "0000000000002000"
          + "0000000000001000"
          + "00000002"
          + "00000000"
          + "0000000000000000"
          + "0000000000001000"
          // the trailer
          + "534c554943454f46"
          + "00000005"
          + "00000030"
          + "0123456789abcdef"
          + "fedcba9876543210"
          + "00000002"
          + "10323768"
          + "0000000000000fa0"
          + "0000000000000009"
          + "0000000000000478"
          + "00000068"
          + "00000000"
          + "0000000000000000"
          + "00000000"
          + "31adcad7"
          + "0000000000000000";

  private static final LocationRecord PLACE =
      place(9, new Range(7, 8192, 4096), new Range(2, 0, 4096));

  private static LocationRecord place(long generation, Range... extents) {
    Range last = extents[extents.length - 1];
    return new LocationRecord(
        POOL,
        new FooterLocation(last.segmentId(), last.endBytes() - FooterLayout.TRAILER_BYTES),
        generation,
        List.of(extents),
        FooterLayout.align8(1008 + INDEX_BYTES),
        FooterLayout.identityBytes(ID),
        IDENTITY.crc32c());
  }

  @Test
  void anIdentityIsTheseBytes() {
    assertEquals(IDENTITY_HEX, HexFormat.of().formatHex(IDENTITY.encode().array()));
    assertEquals(0x10323768, IDENTITY.crc32c());
  }

  @Test
  void aPlaceIsTheseBytes() {
    assertEquals(PLACE_HEX, HexFormat.of().formatHex(PLACE.encode().array()));
    assertEquals(0x434F4D4D49545445L ^ 0x31adcad7L, PLACE.commitMark());
  }

  /** Segments by their ids, and a tail in them. */
  private static final class Media {
    private final byte[] first = new byte[BLOCK_BYTES * 3];
    private final byte[] last = new byte[BLOCK_BYTES];

    /** The extents of {@link #PLACE}, one after the other. */
    ByteSource extents() {
      byte[] all = Arrays.copyOf(Arrays.copyOfRange(first, 8192, 12288), 8192);
      System.arraycopy(last, 0, all, 4096, 4096);
      return source(all);
    }

    void write(LocationRecord place, OutputIdentity identity) {
      ByteBuffer bytes = identity.encode();
      System.arraycopy(
          bytes.array(), 0, first, 8192 + (int) place.identityOffsetBytes(), bytes.capacity());
      ByteBuffer tail = place.encode();
      System.arraycopy(tail.array(), 0, last, BLOCK_BYTES - tail.capacity(), tail.capacity());
    }
  }

  private static ByteSource source(byte[] bytes) {
    return new ByteSource() {
      @Override
      public long lengthBytes() {
        return bytes.length;
      }

      @Override
      public void read(long offsetBytes, byte[] destination) {
        System.arraycopy(bytes, (int) offsetBytes, destination, 0, destination.length);
      }
    };
  }

  @Test
  void aPlaceThatIsLongerThanTheLastExtentIsRefused() {
    FooterLocation location = new FooterLocation(2, 2 * BLOCK_BYTES - FooterLayout.TRAILER_BYTES);
    List<Range> extents =
        new ArrayList<>(Collections.nCopies(BLOCK_BYTES / 24, new Range(1, 0, BLOCK_BYTES)));
    extents.add(new Range(2, BLOCK_BYTES, BLOCK_BYTES));
    ByteBuffer place = new LocationRecord(POOL, location, 5, extents, 0, 128, 0).encode();
    byte[] segment = new byte[2 * BLOCK_BYTES];
    place.get(0, segment, segment.length - place.capacity(), place.capacity());
    FooterReader reader = new FooterReader(POOL, BLOCK_BYTES);
    String message =
        assertThrows(
                CorruptOutputException.class, () -> reader.readLocation(source(segment), location))
            .getMessage();
    assertTrue(message.contains("in the last extent"), message);
  }

  @Test
  void whatWasWrittenIsRead() throws Exception {
    Media media = new Media();
    media.write(PLACE, IDENTITY);
    FooterReader reader = new FooterReader(POOL, BLOCK_BYTES);
    LocationRecord place = reader.readLocation(source(media.last), PLACE.location());
    assertEquals(PLACE, place);
    assertEquals(IDENTITY, reader.readIdentity(place, media.extents()));
  }

  @Test
  void whatAnotherReleaseHasWrittenIsCalledThat() throws Exception {
    Media media = new Media();
    media.write(PLACE, IDENTITY);
    FooterReader reader = new FooterReader(POOL, BLOCK_BYTES);
    int atBytes = (int) PLACE.location().trailerOffsetBytes() + FooterLayout.VERSION_OFFSET;
    ByteBuffer.wrap(media.last).putInt(atBytes, FooterLayout.VERSION + 1);
    IOException e =
        assertThrows(
            CorruptOutputException.class,
            () -> reader.readLocation(source(media.last), PLACE.location()));
    String expected =
        "it is of another release of Sluice: it has format "
            + (FooterLayout.VERSION + 1)
            + ", this release "
            + FooterLayout.VERSION;
    assertTrue(e.getMessage().endsWith(expected), e.getMessage());
  }

  /** Else a start reads for each of many that are forged as much as whoever forges them likes. */
  @Test
  void aPlaceThatReachesOverAnotherIsNotRead() throws Exception {
    Media media = new Media();
    media.write(PLACE, IDENTITY);
    FooterReader reader = new FooterReader(POOL, BLOCK_BYTES);
    int beginBytes = BLOCK_BYTES - PLACE.encode().capacity();
    assertEquals(
        PLACE, reader.readLocation(source(media.last), PLACE.location(), beginBytes, 1000));
    IOException e =
        assertThrows(
            CorruptOutputException.class,
            () -> reader.readLocation(source(media.last), PLACE.location(), beginBytes + 1, 1000));
    assertTrue(e.getMessage().contains("location length is"), e.getMessage());
  }

  @Test
  void aMarkFitsNoOtherIdentity() {
    OutputIdentity other =
        new OutputIdentity(ID, 5, 3, 2, 1000, 1008, INDEX_BYTES, IDENTITY.indexCrc32c());
    LocationRecord place =
        new LocationRecord(
            PLACE.poolId(),
            PLACE.location(),
            PLACE.generation(),
            PLACE.extents(),
            PLACE.identityOffsetBytes(),
            PLACE.identityLengthBytes(),
            other.crc32c());
    assertTrue(PLACE.commitMark() != place.commitMark());
  }

  /** Any bit of either, the mark apart: nothing else is read than what was written. */
  @Test
  void aFlippedBitIsFound() throws Exception {
    Random random = TestSeed.random();
    FooterReader reader = new FooterReader(POOL, BLOCK_BYTES);
    int placeBytes = PLACE.encode().capacity();
    for (int round = 0; round < 2000; round++) {
      Media media = new Media();
      media.write(PLACE, IDENTITY);
      boolean inPlace = random.nextBoolean();
      byte[] bytes = inPlace ? media.last : media.first;
      int at =
          inPlace
              ? BLOCK_BYTES - placeBytes + random.nextInt(placeBytes - Long.BYTES)
              : 8192 + 0x478 + random.nextInt(FooterLayout.identityBytes(ID));
      bytes[at] ^= (byte) (1 << random.nextInt(8));
      assertThrows(IOException.class, () -> read(reader, media), "byte " + at + ", " + inPlace);
    }
  }

  private static void read(FooterReader reader, Media media) throws IOException {
    LocationRecord place = reader.readLocation(source(media.last), PLACE.location());
    reader.readIdentity(place, media.extents());
  }
}
