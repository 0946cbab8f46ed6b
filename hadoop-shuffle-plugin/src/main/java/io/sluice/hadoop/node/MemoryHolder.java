package io.sluice.hadoop.node;

import io.sluice.spill.ledger.Holding;
import io.sluice.spill.ledger.MemoryKind;
import java.util.Comparator;
import java.util.List;

/** A row of the table of who holds memory, as JMX sees it: an object whose getters are columns. */
public final class MemoryHolder {
  private final Holding holding;

  private MemoryHolder(Holding holding) {
    this.holding = holding;
  }

  /** Those who hold most, of those who hold anything, the largest first. */
  static MemoryHolder[] largest(List<Holding> holdings, int count) {
    return holdings.stream()
        .map(MemoryHolder::new)
        .filter(holder -> holder.getBytes() > 0)
        .sorted(Comparator.comparingLong(MemoryHolder::getBytes).reversed())
        .limit(count)
        .toArray(MemoryHolder[]::new);
  }

  /** User id of the operating system. */
  public String getUser() {
    return holding.who().user();
  }

  /** The application that it is a task of. */
  public String getApplication() {
    return holding.who().application();
  }

  /** Who it is. */
  public String getTask() {
    return holding.who().task();
  }

  /** All of it. */
  public long getBytes() {
    return holding.bytes().values().stream().mapToLong(Long::longValue).sum();
  }

  /** Of that, its sort buffer. */
  public long getSortBytes() {
    return bytes(MemoryKind.SORT);
  }

  /** Of that, promised for the runs of its sort buffer. */
  public long getRoomBytes() {
    return bytes(MemoryKind.ROOM);
  }

  /** Of that, an output that is not committed. */
  public long getWritingBytes() {
    return bytes(MemoryKind.WRITING);
  }

  /** Of that, what it receives into. */
  public long getReceiveBytes() {
    return bytes(MemoryKind.RECEIVE);
  }

  /** Whether it was told to give back, and has not in time. */
  public boolean isLate() {
    return holding.late();
  }

  private long bytes(MemoryKind kind) {
    return holding.bytes().getOrDefault(kind, 0L);
  }
}
