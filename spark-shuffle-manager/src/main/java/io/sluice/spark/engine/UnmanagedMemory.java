package io.sluice.spark.engine;

import java.util.function.LongSupplier;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.UnifiedMemoryManager$;
import org.apache.spark.memory.UnmanagedMemoryConsumer;
import org.apache.spark.memory.UnmanagedMemoryConsumerId;

/**
 * Tells Spark's memory manager of memory that it does not hand out. Since 4.1 it asks, where {@code
 * spark.memory.unmanagedMemoryPollingInterval} is set, and hands out so much less off-heap memory;
 * 4.0 cannot be told.
 *
 * <p>Thread contract: safe from any thread. Ownership: who registers it closes it.
 */
public abstract class UnmanagedMemory implements AutoCloseable {
  private static final String COMPONENT = "Sluice";

  private UnmanagedMemory() {}

  /** Has it asked for, under the name of an instance, until it is closed. */
  public static UnmanagedMemory register(String instance, LongSupplier usedBytes) {
    return canBeTold() ? new Told(instance, usedBytes) : new Untold();
  }

  private static boolean canBeTold() {
    try {
      Class.forName("org.apache.spark.memory.UnmanagedMemoryConsumer");
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  @Override
  public abstract void close();

  private static final class Untold extends UnmanagedMemory {
    @Override
    public void close() {}
  }

  private static final class Told extends UnmanagedMemory {
    private final UnmanagedMemoryConsumer consumer;

    Told(String instance, LongSupplier usedBytes) {
      UnmanagedMemoryConsumerId id = new UnmanagedMemoryConsumerId(COMPONENT, instance);
      consumer =
          new UnmanagedMemoryConsumer() {
            @Override
            public UnmanagedMemoryConsumerId unmanagedMemoryConsumerId() {
              return id;
            }

            @Override
            public MemoryMode memoryMode() {
              return MemoryMode.OFF_HEAP;
            }

            @Override
            public long getMemBytesUsed() {
              return usedBytes.getAsLong();
            }
          };
      UnifiedMemoryManager$.MODULE$.registerUnmanagedMemoryConsumer(consumer);
    }

    @Override
    public void close() {
      UnifiedMemoryManager$.MODULE$.unregisterUnmanagedMemoryConsumer(consumer);
    }
  }
}
