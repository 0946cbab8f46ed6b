package io.sluice.spill.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.testing.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RunEncoderTest {
  private final ByteArrayOutputStream sunk = new ByteArrayOutputStream();
  private final RunEncoder encoder = new RunEncoder(sunk::write);

  @Test
  void encodesARunOfRecordsOfAllSizes() throws IOException {
    Random random = TestSeed.random();
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      byte[] key = new byte[random.nextInt(20)];
      byte[] value = new byte[random.nextInt(random.nextInt(100) == 0 ? 200_000 : 300)];
      random.nextBytes(key);
      random.nextBytes(value);
      TestRecord record = new TestRecord(0, key, value);
      records.add(record);
      if (random.nextBoolean()) {
        byte[] both = record.keyValue();
        encoder.append(both, 0, key.length, both, key.length, value.length);
      } else {
        byte[] encoded = record.encoded();
        encoder.appendEncoded(encoded, 0, encoded.length, 1);
      }
    }
    encoder.finish();
    assertArrayEquals(TestRecord.run(records), sunk.toByteArray());
    assertEquals(sunk.size(), encoder.rawLengthBytes());
    assertEquals(3000, encoder.records());
  }

  @Test
  void putsTheEndMarkerBehindAFullBlock() throws IOException {
    for (int length = 65_536 - 12; length <= 65_536 + 2; length++) {
      sunk.reset();
      RunEncoder one = new RunEncoder(sunk::write);
      TestRecord record = new TestRecord(0, new byte[0], new byte[length]);
      one.append(record.key(), 0, 0, record.value(), 0, length);
      one.finish();
      assertArrayEquals(TestRecord.run(List.of(record)), sunk.toByteArray());
    }
  }
}
