package io.sluice.it.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Looks at a group's memory at regular times, until it is closed.
 *
 * <p>One thread looks; {@link #samples} and {@link #close} are for any other. Who starts it closes
 * it before the group. A sample that could not be taken fails {@link #samples}.
 */
public final class GroupMeter implements AutoCloseable {
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "group-meter");
            thread.setDaemon(true);
            return thread;
          });
  private final List<GroupMemory> samples = new ArrayList<>();
  private RuntimeException failure;

  private GroupMeter() {}

  public static GroupMeter start(ResourceGroup group, long intervalMs) {
    return start(group::memory, intervalMs);
  }

  static GroupMeter start(Supplier<GroupMemory> memory, long intervalMs) {
    GroupMeter meter = new GroupMeter();
    meter.clock.scheduleAtFixedRate(() -> meter.take(memory), 0, intervalMs, TimeUnit.MILLISECONDS);
    return meter;
  }

  private synchronized void take(Supplier<GroupMemory> memory) {
    if (failure == null) {
      try {
        samples.add(memory.get());
      } catch (RuntimeException e) {
        failure = e;
      }
    }
  }

  /** Those taken so far, in their order. */
  public synchronized List<GroupMemory> samples() {
    if (failure != null) {
      throw new LimitException("a sample of the group's memory could not be taken", failure);
    }
    return List.copyOf(samples);
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
