package io.sluice.hadoop;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.counters.LimitExceededException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a task says of its way through Sluice; the counter group is {@value #GROUP}. */
public enum SluiceCounter {
  /** Map: time in which records were sorted and written to the pool. */
  SPILL_MS,
  /** Map: the part of {@link #SPILL_MS} spent ordering the index. */
  SORT_MS,
  /** Map: time in which runs were merged and committed. */
  MERGE_MS,
  /** Map: runs served, over all partitions. */
  MAP_OUTPUT_RUNS,
  /** Map: most that its sort buffer has borrowed of the node's memory at one time. */
  SORT_BYTES_BORROWED,
  /** Map: spills before the sort buffer was full, because the node wanted its memory back. */
  EARLY_SPILLS,
  /** Map: bytes written to the memory tier. */
  SPILL_BYTES_MEMORY,
  /** Map: bytes written to the disk tier. */
  SPILL_BYTES_DISK,
  /** Reduce: bytes of map output mapped in place from this node's pool. */
  READ_BYTES_LOCAL,
  /** Reduce: bytes read over TCP from another node's pool. */
  READ_BYTES_TCP,
  /** Reduce: bytes read over RDMA, through UCX, from another node's pool. */
  READ_BYTES_UCX,
  /** Reduce: bytes read over RDMA, through DiSNI, from another node's pool. */
  READ_BYTES_DISNI,
  /** Reduce: the part of those that came through bounce buffers of its node. */
  BOUNCED_BYTES,
  /** Reduce: bytes fetched from stock ShuffleHandlers. */
  READ_BYTES_HTTP,
  /** Reduce: bytes written to the pool by merge rounds and fetches from stock. */
  STAGED_BYTES_MEMORY,
  /** Reduce: bytes written to disk by merge rounds and fetches from stock. */
  STAGED_BYTES_DISK,
  /** Reduce: rounds of merging before the final one. */
  MERGE_ROUNDS,
  /** Map and reduce: bytes of records encrypted, compressed if they are. */
  ENCRYPTED_BYTES,
  /** Map and reduce: bytes of records decrypted, compressed if they are. */
  DECRYPTED_BYTES,
  /** Map and reduce: time in which that was done. */
  CRYPTO_MS,
  /** Reduce: map outputs that were refused because no task of the job had encrypted them so. */
  FORGED_RUNS,
  /** Map attempts that used the stock collector instead. */
  FALLBACK_MAP_TO_STOCK,
  /** Reduce attempts that used the stock shuffle instead. */
  FALLBACK_REDUCE_TO_STOCK,
  /** Map outputs fetched from the stock ShuffleHandler by a reducer of ours. */
  FALLBACK_FETCH_TO_HTTP,
  /** Times that a reducer gave up a transport for the next one. */
  FALLBACK_TRANSPORT,
  /** Times that a node had no bounce buffer free and a reducer read over the next transport. */
  FALLBACK_BOUNCE_BUSY,
  /** Times that a node's service took no further connection and a reducer came again later. */
  FALLBACK_NODE_BUSY,
  /** Times that a map sorted in its own memory alone, because its node could not be heard. */
  FALLBACK_SORT_ALONE;

  /** The group's name in job history. */
  public static final String GROUP = "Sluice";

  private static final Logger LOG = LoggerFactory.getLogger(SluiceCounter.class);
  private static final Set<String> LEFT_OUT = ConcurrentHashMap.newKeySet(); // said once each

  /** This counter in a task. */
  public Counters.Counter of(Reporter reporter) {
    return reporter.getCounter(GROUP, name());
  }

  /**
   * Adds {@code amount} to it, creating nothing when that is zero. Where the task has as many
   * counters as a job may have, it is only logged: no task fails for want of a counter of ours.
   */
  public void add(Reporter reporter, long amount) {
    if (amount != 0) {
      add(reporter, name(), amount);
    }
  }

  /** The same of a counter that has a name of its own. */
  public static void add(Reporter reporter, String name, long amount) {
    try {
      reporter.getCounter(GROUP, name).increment(amount);
    } catch (LimitExceededException e) {
      if (LEFT_OUT.add(name)) {
        LOG.warn("Counter {} is left out: {}", name, e.getMessage());
      }
    }
  }
}
