package io.sluice.mapreduce.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.DirectMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What tasks may take is within what their process has, however many there are. */
final class TaskMemoryTest {
  private static final long HEAP_BYTES = Runtime.getRuntime().maxMemory();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 16, 64, 1024})
  void allTasksTogetherTakeNoMoreThanTheProcessHas(int tasks) {
    TaskMemory memory = TaskMemory.shared(Math.min(tasks, TaskMemory.mostSorting()), tasks);
    long sortBytes = memory.sortBytes() * Math.min(tasks, TaskMemory.mostSorting());
    assertTrue(sortBytes <= DirectMemory.limitBytes() * 3 / 4, memory.toString());
    assertTrue(memory.sortBytes() >= TaskMemory.MIN_SORT_BYTES, memory.toString());
    assertTrue(memory.blocksBytes() * tasks <= HEAP_BYTES / 4, memory.toString());
    assertTrue(memory.streamsBytes() * tasks <= HEAP_BYTES / 4, memory.toString());
  }

  @Test
  void whoIsAloneSharesWithNobody() {
    assertEquals(TaskMemory.shared(1, 1), TaskMemory.alone());
    assertEquals(TaskMemory.alone(), TaskMemory.shared(0, 0));
  }

  @Test
  void aContainerMayHaveRoomForLess() {
    TaskMemory memory = new TaskMemory(100 << 20, 2, 3, Long.MAX_VALUE, 64 << 20);
    assertEquals(
        new TaskMemory(50 << 20, 2, 3, 9 << 20, 8 << 20),
        memory.within(50 << 20, 9 << 20, 8 << 20));
    assertEquals(memory, memory.within(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE));
  }

  @Test
  void aSortBufferIsNotWorthless() {
    TaskMemory memory = new TaskMemory(100 << 20, 2, 3, 4, 5);
    assertEquals(new TaskMemory(TaskMemory.MIN_SORT_BYTES, 2, 3, 4, 5), memory.within(1, 4, 5));
  }
}
