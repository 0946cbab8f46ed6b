package io.sluice.spark.write;

import java.io.IOException;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * The share of the task's execution memory that a writer's buffers take.
 *
 * <p>Thread contract: as its super class; it gives nothing back on others' demand, because its
 * records may be in the middle of being written then.
 */
final class MemoryBudget extends MemoryConsumer {
  MemoryBudget(TaskMemoryManager manager) {
    super(manager, MemoryMode.ON_HEAP);
  }

  /** Whether so much could be had. */
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
