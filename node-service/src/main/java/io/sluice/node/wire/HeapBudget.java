package io.sluice.node.wire;

import io.sluice.rdma.transport.FairBudget;
import io.sluice.spill.segment.Owner;
import java.util.HashMap;
import java.util.Map;

/**
 * The part of this process's heap for requests and answers of all connections together: each may
 * take some MiB, and there may be thousands, in a process that must not run out of memory. Users
 * share it as {@link FairBudget} says.
 *
 * <p>Thread contract: safe from any thread; a thread that holds some takes no more before it has
 * given that back. Failure: {@link RemoteError} BUSY, which names the holders and their bytes; the
 * peer may ask again.
 */
public final class HeapBudget {
  /** Readers have an eighth of the heap. */
  private static final int READERS_SHARES = 8;

  /** Tasks have half of that for themselves: readers that wait cost no task its output. */
  private static final int TASKS_SHARES = 16;

  /** So much is there on the smallest heap: some answers at a time. */
  private static final long LEAST_BYTES = 16 << 20;

  /** Shorter than peers wait for an answer, whatever their settings; they come again. */
  private static final long WAIT_MS = 2_000;

  private final String whose;
  private final FairBudget budget;
  private final long waitMs;

  /**
   * A budget of one's own.
   *
   * @param whose readers or tasks, for messages
   * @param shared whether there may be several owners
   * @param waitMs longest wait for bytes that others hold
   */
  public HeapBudget(String whose, long mostBytes, boolean shared, long waitMs) {
    this.whose = whose;
    this.budget = new FairBudget(mostBytes, shared);
    this.waitMs = waitMs;
  }

  /** The budget for readers of the service in this process. */
  public static HeapBudget ofReaders(boolean shared) {
    return ofThisProcess("readers", shared, READERS_SHARES);
  }

  /** The budget for its tasks. */
  public static HeapBudget ofTasks(boolean shared) {
    return ofThisProcess("tasks", shared, TASKS_SHARES);
  }

  private static HeapBudget ofThisProcess(String whose, boolean shared, int shares) {
    long shareBytes = Runtime.getRuntime().maxMemory() / shares;
    return new HeapBudget(whose, Math.max(LEAST_BYTES, shareBytes), shared, WAIT_MS);
  }

  /**
   * Takes so many bytes for an owner's reader or task, which closes what it gets when they are
   * garbage.
   *
   * @throws RemoteError BUSY if they do not come free in time
   */
  public Held take(Owner owner, long bytes) throws RemoteError {
    if (!budget.take(owner, bytes, waitMs)) {
      throw new RemoteError(
          RemoteError.Code.BUSY,
          ("no room for %s bytes of heap within %s ms: %s of user id %s hold %s of %s bytes"
                  + " for the requests and answers of %s; raise the heap (-Xmx) of this service's"
                  + " process for more")
              .formatted(
                  bytes,
                  waitMs,
                  whose,
                  owner,
                  budget.held().getOrDefault(owner, 0L),
                  budget.most(),
                  whose));
    }
    return new Held(owner, bytes);
  }

  /** Bytes that requests and answers of each user hold now. */
  public Map<Owner, Long> heldBytes() {
    Map<Owner, Long> all = new HashMap<>();
    budget.held().forEach((owner, bytes) -> all.put((Owner) owner, bytes));
    return all;
  }

  /** Bytes of the heap that one connection holds. Thread contract: one thread. */
  public final class Held implements AutoCloseable {
    private final Owner owner;
    private long bytes;

    private Held(Owner owner, long bytes) {
      this.owner = owner;
      this.bytes = bytes;
    }

    /** Gives back all but so many bytes. */
    public void shrinkTo(long neededBytes) {
      if (neededBytes < bytes) {
        long surplusBytes = bytes - neededBytes;
        bytes = neededBytes;
        budget.giveBack(owner, surplusBytes);
      }
    }

    @Override
    public void close() {
      shrinkTo(0);
    }
  }
}
