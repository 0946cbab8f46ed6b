package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.hadoop.node.ServiceStateMXBean.MemoryHolder;
import io.sluice.spill.ledger.Holding;
import io.sluice.spill.ledger.Holding.HolderRole;
import io.sluice.spill.ledger.MemoryKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who stands in the table of those who hold memory. */
final class MemoryHolderTest {
  private static Holding holding(int task, Map<MemoryKind, Long> bytes) {
    return new Holding(
        new Holding.HolderId("1000", "application_1", "task " + task, HolderRole.MAP),
        bytes,
        task == 3);
  }

  @Test
  void thoseWhoHoldMostTheLargestFirst() {
    List<Holding> holdings = new ArrayList<>(List.of(holding(99, Map.of()), holding(98, Map.of())));
    for (int i = 1; i <= 5; i++) {
      holdings.add(holding(i, Map.of(MemoryKind.SORT, 10L * i, MemoryKind.WRITING, 1L)));
    }
    MemoryHolder[] all = MemoryHolder.largest(holdings, 20);
    assertEquals(5, all.length);
    MemoryHolder[] largest = MemoryHolder.largest(holdings, 3);
    assertArrayEquals(
        new String[] {"task 5", "task 4", "task 3"},
        Arrays.stream(largest).map(MemoryHolder::getTask).toArray());
    assertEquals(51, largest[0].getBytes());
    assertEquals(50, largest[0].getSortBytes());
    assertEquals(1, largest[0].getWritingBytes());
    assertEquals(0, largest[0].getReceiveBytes());
    assertEquals(
        List.of(false, false, true), Arrays.stream(largest).map(MemoryHolder::isLate).toList());
  }
}
