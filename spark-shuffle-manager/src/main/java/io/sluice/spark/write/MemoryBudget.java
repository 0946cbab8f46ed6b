package io.sluice.spark.write;

import java.io.IOException;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * The part of the task's execution memory that a writer's buffers take.
 *
 * <p>Thread contract: as its super class. It frees nothing on demand of other consumers, because
 * the writer may be in the middle of a record.
 */
final class MemoryBudget extends MemoryConsumer {
  MemoryBudget(TaskMemoryManager manager) {
    super(manager, MemoryMode.ON_HEAP);
  }

  /** Takes that much memory, or none if there is less. */
  boolean tryTake(long lengthBytes) {
    long granted = acquireMemory(lengthBytes);
    if (granted < lengthBytes) {
      freeMemory(granted);
      return false;
    }
    return true;
  }

  @Override
  public long spill(long lengthBytes, MemoryConsumer trigger) throws IOException {
    return 0;
  }
}
