package io.sluice.spark.pool;

import io.sluice.spill.format.OutputId;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.storage.BlockManagerId;

/**
 * The pool that an executor's map tasks write to: the executor's own, or the pool of its node's
 * service.
 *
 * <p>Thread contract: safe from any thread.
 */
public interface OutputTarget {
  /** An attempt at an output, and the number of shuffles that had been freed before it. */
  record Attempt(int shuffleId, long freesBefore) {}

  /**
   * An attempt at an output begins. If the output's shuffle is freed after this, the output is
   * freed when the attempt commits it.
   */
  Attempt begin(int shuffleId);

  /** Opens the output of a map task; the caller closes it. */
  MapOutput newOutput(Attempt attempt, long mapId, int partitionCount) throws IOException;

  /** The executor's address, extended by where readers find the pool. */
  BlockManagerId location(BlockManagerId executor);

  /** Runs an action that touches the pool's memory. The memory stays mapped until it ends. */
  default void whileOpen(Access access) throws IOException {
    access.run();
  }

  /** Touches the pool's memory. */
  interface Access {
    void run() throws IOException;
  }

  /**
   * An output calls this once it has committed. If its shuffle was freed since the attempt began,
   * this output is freed and no other, because Spark may have computed others again.
   */
  void committed(Attempt attempt, OutputId id, long lengthBytes) throws IOException;

  /**
   * Remembers which shuffles were freed. The output of an attempt that began before is freed when
   * the attempt commits it, because nothing else would free it. Outputs of later attempts stay:
   * Spark may remove a shuffle's outputs at the end of a query, and compute them again for another
   * job.
   *
   * <p>Thread contract: safe from any thread. It forgets the oldest beyond 10,000 shuffles.
   */
  final class FreedShuffles {
    private static final int MOST = 10_000;

    private final Map<Integer, Long> frees = new LinkedHashMap<>();
    private long count;

    /** An attempt begins now. */
    public synchronized Attempt begin(int shuffleId) {
      return new Attempt(shuffleId, count);
    }

    /** A shuffle is freed now. */
    public synchronized void add(int shuffleId) {
      count++;
      frees.remove(shuffleId); // the map keeps the order of first insertion
      frees.put(shuffleId, count);
      if (frees.size() > MOST) {
        frees.remove(frees.keySet().iterator().next());
      }
    }

    /** Whether the attempt's shuffle was freed after the attempt began. */
    public synchronized boolean isFreed(Attempt attempt) {
      Long free = frees.get(attempt.shuffleId());
      return free != null && free > attempt.freesBefore();
    }
  }
}
