package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SignedOrderTest {
  @Nested
  class Ints extends Contract {
    Ints() {
      super(4, List.of("00000000", "00000001", "7fffffff", "80000000", "ffffffff", "80000001"));
    }
  }

  @Nested
  class Longs extends Contract {
    Longs() {
      super(
          8,
          List.of(
              "0000000000000000",
              "0000000000000001",
              "7fffffffffffffff",
              "8000000000000000",
              "ffffffffffffffff",
              "0000000080000000"));
    }
  }

  @Nested
  class Bytes extends Contract {
    Bytes() {
      super(1, List.of("00", "01", "7f", "80", "ff"));
    }
  }

  @Test
  void refusesAKeyOfAnotherWidth() {
    assertThrows(
        IllegalArgumentException.class, () -> new SignedOrder(4).prefix(new byte[8], 0, 8));
  }

  abstract static class Contract extends KeyOrderContract {
    private final int width;
    private final List<String> nasty;

    Contract(int width, List<String> nasty) {
      this.width = width;
      this.nasty = nasty;
    }

    @Override
    KeyOrder order() {
      return new SignedOrder(width);
    }

    @Override
    List<String> nastyKeys() {
      return nasty;
    }

    @Override
    byte[] randomKey(Random random) {
      byte[] key = new byte[width];
      random.nextBytes(key);
      return key;
    }

    @Override
    int expectedCompare(byte[] a, byte[] b) {
      return new BigInteger(a).compareTo(new BigInteger(b));
    }
  }
}
