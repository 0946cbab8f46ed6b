package io.sluice.hadoop.node;

import io.sluice.spill.ledger.Holding;
import io.sluice.spill.ledger.MemoryKind;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The bean of Sluice's service at {@code /jmx} and for any JMX client, under {@code
 * Hadoop:service=NodeManager,name=SluiceShuffle}.
 *
 * <p>{@link #getMetrics} has every metric. The other attributes are a summary. Each attribute is
 * read by itself, so two of them may be of different moments.
 */
public interface ServiceStateMXBean {
  /** Whether the service works; if not, tasks of this node use the stock shuffle. */
  boolean isRunning();

  /** Why it does not work; empty if it does. */
  String getDegradedReason();

  /** Outputs that reducers can find. */
  int getOutputs();

  /** Bytes of the memory tier that cannot be leased now. */
  long getMemoryUsedBytes();

  /** The tasks that hold most of the memory tier, the largest first. Outputs are not of tasks. */
  MemoryHolder[] getMemoryHolders();

  /** Bytes of the disk tier that cannot be leased now. */
  long getDiskUsedBytes();

  /** Leases since the start that the memory tier could not grant alone. */
  long getOverflows();

  /** Outputs that have left the memory tier for the disk tier since the start. */
  long getMovedOutputs();

  /** Outputs in memory that have a copy on the disk tier now. */
  long getCopiedOutputs();

  /** Overflow directories that are left out now, because they failed. */
  int getFailedOverflowDirectories();

  /** Memory registered for bounce buffers, over all transports. */
  long getBounceRegisteredBytes();

  /** Bytes read through bounce slots since the start. */
  long getBouncedBytes();

  /** Tasks since the start that were not served, by the reason. */
  Map<String, Long> getTaskRefusals();

  /** Reads since the start that were refused, by transport. */
  Map<String, Long> getFailedReads();

  /**
   * Every metric of the service, all of one moment, by the names that metrics systems see. Labels
   * are written as in Prometheus. A histogram has its count, its sum, its median and its 99th
   * percentile.
   */
  Map<String, Double> getMetrics();

  /** A row of the JMX table of the tasks that hold memory; its getters are the columns. */
  public static final class MemoryHolder {
    private final Holding holding;

    private MemoryHolder(Holding holding) {
      this.holding = holding;
    }

    /** The largest holders that hold anything, the largest first. */
    static MemoryHolder[] largest(List<Holding> holdings, int count) {
      return holdings.stream()
          .map(MemoryHolder::new)
          .filter(holder -> holder.getBytes() > 0)
          .sorted(Comparator.comparingLong(MemoryHolder::getBytes).reversed())
          .limit(count)
          .toArray(MemoryHolder[]::new);
    }

    /** The holder's user id in the operating system. */
    public String getUser() {
      return holding.who().user();
    }

    /** The application of the task. */
    public String getApplication() {
      return holding.who().application();
    }

    /** The task. */
    public String getTask() {
      return holding.who().task();
    }

    /** All bytes that the task holds. */
    public long getBytes() {
      return holding.bytes().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Bytes of its sort buffer. */
    public long getSortBytes() {
      return bytes(MemoryKind.SORT);
    }

    /** Bytes reserved for the runs of its sort buffer. */
    public long getRoomBytes() {
      return bytes(MemoryKind.ROOM);
    }

    /** Bytes of an output that is not committed. */
    public long getWritingBytes() {
      return bytes(MemoryKind.WRITING);
    }

    /** Bytes in which it receives runs. */
    public long getReceiveBytes() {
      return bytes(MemoryKind.RECEIVE);
    }

    /** Whether it has missed a deadline to give memory back. */
    public boolean isLate() {
      return holding.late();
    }

    private long bytes(MemoryKind kind) {
      return holding.bytes().getOrDefault(kind, 0L);
    }
  }
}
