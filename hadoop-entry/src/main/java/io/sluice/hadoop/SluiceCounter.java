package io.sluice.hadoop;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.counters.LimitExceededException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The counters of a task that uses Sluice; their group is {@value #GROUP}. */
public enum SluiceCounter {
  /** Map: time in which records were sorted and written to the pool. */
  SPILL_MS,
  /** Map: the part of {@link #SPILL_MS} spent ordering the index. */
  SORT_MS,
  /** Map: time in which runs were merged and committed. */
  MERGE_MS,
  /** Map: runs in the output, over all partitions. */
  MAP_OUTPUT_RUNS,
  /** Map: the most bytes that its sort buffer borrowed from the node's memory at one time. */
  SORT_BYTES_BORROWED,
  /** Map: spills before the sort buffer was full, because the node revoked lent memory. */
  EARLY_SPILLS,
  /** Map: bytes written to the memory tier. */
  SPILL_BYTES_MEMORY,
  /** Map: bytes written to the disk tier. */
  SPILL_BYTES_DISK,
  /** Reduce: bytes of map output mapped in place from this node's pool. */
  READ_BYTES_LOCAL,
  /** Reduce: bytes read over TCP from another node's pool. */
  READ_BYTES_TCP,
  /** Reduce: bytes read over RDMA, through libibverbs, from another node's pool. */
  READ_BYTES_VERBS,
  /** Reduce: bytes read over RDMA, through UCX, from another node's pool. */
  READ_BYTES_UCX,
  /** Reduce: bytes read over RDMA, through DiSNI, from another node's pool. */
  READ_BYTES_DISNI,
  /** Reduce: the part of the RDMA bytes that came through bounce buffers of the other node. */
  BOUNCED_BYTES,
  /** Reduce: bytes fetched from stock ShuffleHandlers. */
  READ_BYTES_HTTP,
  /** Reduce: bytes written to the pool by merge rounds and fetches from stock. */
  STAGED_BYTES_MEMORY,
  /** Reduce: bytes written to disk by merge rounds and fetches from stock. */
  STAGED_BYTES_DISK,
  /** Reduce: merge rounds before the final merge. */
  MERGE_ROUNDS,
  /** Map and reduce: bytes of records encrypted, counted after compression. */
  ENCRYPTED_BYTES,
  /** Map and reduce: bytes of records decrypted, counted before decompression. */
  DECRYPTED_BYTES,
  /** Map and reduce: time spent on encryption and decryption. */
  CRYPTO_MS,
  /** Reduce: map outputs refused because no task of the job encrypted them as they are. */
  FORGED_RUNS,
  /** Map attempts that used the stock collector. */
  FALLBACK_MAP_TO_STOCK,
  /** Reduce attempts that used the stock shuffle. */
  FALLBACK_REDUCE_TO_STOCK,
  /** Map outputs that a reduce of Sluice fetched from a stock ShuffleHandler. */
  FALLBACK_FETCH_TO_HTTP,
  /** Times that a reduce changed to the next transport because one failed. */
  FALLBACK_TRANSPORT,
  /** Times that a node had no free bounce buffer and a reduce read over the next transport. */
  FALLBACK_BOUNCE_BUSY,
  /** Times that a node's service was busy and a reduce connected again later. */
  FALLBACK_NODE_BUSY,
  /** Times that a map sorted in its own memory alone, because its node's service did not answer. */
  FALLBACK_SORT_ALONE;

  /** The group's name in job history. */
  public static final String GROUP = "Sluice";

  private static final Logger LOG = LoggerFactory.getLogger(SluiceCounter.class);
  private static final Set<String> LEFT_OUT = ConcurrentHashMap.newKeySet(); // each is logged once

  /** The counter of this name in a task. */
  public Counters.Counter of(Reporter reporter) {
    return reporter.getCounter(GROUP, name());
  }

  /**
   * Adds {@code amount} to the counter; zero creates no counter. If the task has as many counters
   * as a job may have, the counter is left out and logged once: a missing counter fails no task.
   */
  public void add(Reporter reporter, long amount) {
    if (amount != 0) {
      add(reporter, name(), amount);
    }
  }

  /** Adds {@code amount} to a counter of the group that this enum does not list. */
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
