package io.sluice.hadoop.node;

import io.sluice.spill.ledger.Holding;
import io.sluice.spill.ledger.MemoryKind;
import java.util.Comparator;
import java.util.List;

/** A row of the JMX table of the tasks that hold memory; its getters are the columns. */
public final class MemoryHolder {
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
