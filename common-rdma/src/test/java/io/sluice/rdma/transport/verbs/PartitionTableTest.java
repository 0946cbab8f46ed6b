package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionTableTest {
  @TempDir private Path keys;

  private OptionalInt find(int key) throws IOException {
    return new PartitionTable(keys).find(key);
  }

  @Test
  void findsAPartitionWhateverTheMembershipAndPrefersFull() throws Exception {
    String[] table = {"0x7fff", "0x0001", "0x0000", "0x8001", "0x0002"};
    for (int i = 0; i < table.length; i++) {
      Files.writeString(keys.resolve("" + i), table[i] + "\n");
    }
    assertEquals(OptionalInt.of(3), find(0x8001));
    assertEquals(OptionalInt.of(3), find(0x0001));
    assertEquals(OptionalInt.of(4), find(0x8002));
    assertEquals(OptionalInt.of(0), find(0x7FFF));
    assertEquals(OptionalInt.empty(), find(0x8003));
    assertEquals(OptionalInt.empty(), find(0x8000)); // a free entry is no partition
  }

  @Test
  void theDefaultKeyIsAtIndexZeroWhateverIsThere() throws Exception {
    assertEquals(OptionalInt.of(0), find(0xFFFF));
    assertEquals(OptionalInt.empty(), find(0x8001));
  }
}
