package io.sluice.it.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Processes whose memory, page cache included, is bounded together, and that are measured together.
 *
 * <p>Lies below the group that this process is in, so nothing leaves what the machine's owner put
 * it in. A process enters as it starts, by {@link #enter}; its children inherit.
 *
 * <p>Thread contract: {@link #use} and {@link #memory} from any thread, the rest from one. Its
 * maker closes it, before the volumes that its processes use: closing kills those that are left. If
 * the kernel refuses something, that is a {@link LimitException} with the file.
 */
public interface ResourceGroup extends AutoCloseable {

  /** Which of the kernel's mechanisms it is, for the head of a result. */
  String title();

  /** The beginning of a command whose process shall be in the group from the start. */
  List<String> enter();

  /**
   * Bounds the memory of all of them together; what is beyond is reclaimed, or its owner killed.
   */
  void limitMemory(long bytes);

  /**
   * Bounds a block device, which must be used by nobody but this group: cgroup v1 can bound it for
   * the whole machine only.
   *
   * @param device its numbers, such as 7:0
   */
  void limitDevice(String device, DeviceRate rate);

  GroupUse use();

  GroupMemory memory();

  @Override
  void close();

  /**
   * The memory of a group at one moment, in bytes.
   *
   * @param usedBytes all that counts against its bound
   * @param cacheBytes page cache, tmpfs among it
   * @param anonymousBytes heaps, stacks and the like
   * @param sharedBytes of tmpfs
   * @param mappedBytes page cache and tmpfs that a process has mapped
   */
  record GroupMemory(
      long usedBytes, long cacheBytes, long anonymousBytes, long sharedBytes, long mappedBytes) {

    /** Memory that the kernel cannot take back where it has no swap. */
    public long unreclaimableBytes() {
      return anonymousBytes + sharedBytes;
    }
  }

  /**
   * The use and the waits of a group's processes since it was made, those that ended among them.
   *
   * @param cpuUs processor time
   * @param ioSomeUs time in which at least one of them waited for a device
   * @param ioFullUs time in which all that could have run waited for a device
   * @param memorySomeUs time in which at least one of them waited for memory to be reclaimed
   * @param memoryFullUs time in which all that could have run did
   * @param oomKills how many the kernel killed because the memory was short
   */
  record GroupUse(
      long cpuUs,
      long ioSomeUs,
      long ioFullUs,
      long memorySomeUs,
      long memoryFullUs,
      long oomKills) {

    /** The use since then. */
    public GroupUse minus(GroupUse earlier) {
      return new GroupUse(
          cpuUs - earlier.cpuUs,
          ioSomeUs - earlier.ioSomeUs,
          ioFullUs - earlier.ioFullUs,
          memorySomeUs - earlier.memorySomeUs,
          memoryFullUs - earlier.memoryFullUs,
          oomKills - earlier.oomKills);
    }
  }

  /**
   * The rate that a block device may have, each way.
   *
   * @param bytesPerS read and, besides, written
   * @param requestsPerS of either kind
   */
  record DeviceRate(long bytesPerS, int requestsPerS) {
    /** More than any device has. */
    public static final DeviceRate UNBOUNDED = new DeviceRate(1L << 40, Integer.MAX_VALUE);

    @Override
    public String toString() {
      return "%.0f MB/s and %d requests/s, each way".formatted(bytesPerS / 1e6, requestsPerS);
    }
  }

  /**
   * Looks at a group's memory at regular times, until it is closed.
   *
   * <p>One thread looks; {@link #samples} and {@link #close} are for any other. Its starter closes
   * it before the group. A sample that could not be taken fails {@link #samples}.
   */
  final class GroupMeter implements AutoCloseable {
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
      meter.clock.scheduleAtFixedRate(
          () -> meter.take(memory), 0, intervalMs, TimeUnit.MILLISECONDS);
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
}
