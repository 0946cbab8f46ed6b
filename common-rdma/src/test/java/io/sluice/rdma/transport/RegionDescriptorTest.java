package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.testing.TestSeed;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RegionDescriptorTest {
  private static final RegionDescriptor DESCRIPTOR =
      new RegionDescriptor(7, 0x1122334455667788L, 1L << 40, new byte[] {1, 2, 3});

  @Test
  void comesBackFromItsEncodedForm() throws Exception {
    ByteBuffer two = ByteBuffer.allocate(200).put(DESCRIPTOR.encode()).put(DESCRIPTOR.encode());
    two.flip();
    assertEquals(DESCRIPTOR, RegionDescriptor.decode(two));
    assertEquals(DESCRIPTOR, RegionDescriptor.decode(two));
    assertFalse(two.hasRemaining());
  }

  @Test
  void isEqualByContent() {
    assertEquals(
        DESCRIPTOR, new RegionDescriptor(7, DESCRIPTOR.key(), 1L << 40, new byte[] {1, 2, 3}));
    assertNotEquals(
        DESCRIPTOR, new RegionDescriptor(7, DESCRIPTOR.key(), 1L << 40, new byte[] {1, 2, 4}));
  }

  @Test
  void refusesEveryPrefixOfItself() {
    byte[] whole = DESCRIPTOR.encode();
    for (int length = 0; length < whole.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(whole, 0, length);
      assertThrows(TransportException.class, () -> RegionDescriptor.decode(cut));
      assertEquals(0, cut.position());
    }
  }

  @Test
  void survivesHostileBytes() {
    Random random = TestSeed.random();
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = new byte[random.nextInt(64)];
      random.nextBytes(bytes);
      ByteBuffer in = ByteBuffer.wrap(bytes);
      try {
        RegionDescriptor decoded = RegionDescriptor.decode(in);
        assertEquals(in.position(), decoded.encode().length);
      } catch (TransportException expected) {
        assertEquals(0, in.position());
      }
    }
  }

  @Test
  void doesNotPrintItsKey() {
    String text = DESCRIPTOR.toString();
    assertFalse(text.contains(Long.toString(DESCRIPTOR.key())));
    assertFalse(text.contains(Long.toHexString(DESCRIPTOR.key())));
  }

  @Test
  void boundsItsProviderData() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new RegionDescriptor(1, 1, 1, new byte[RegionDescriptor.MAX_PROVIDER_DATA_BYTES + 1]));
  }
}
