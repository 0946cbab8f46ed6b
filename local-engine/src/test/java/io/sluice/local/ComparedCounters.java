package io.sluice.local;

import java.io.IOException;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.counters.AbstractCounters;
import org.apache.hadoop.mapreduce.counters.CounterGroupBase;

/** Counters that are the same whoever runs a job. */
public final class ComparedCounters {
  /** What depends on the time, the memory or the number of spills. */
  private static final Set<String> OTHERS_MAY =
      Set.of(
          "GC_TIME_MILLIS",
          "COMMITTED_HEAP_BYTES",
          "SPILLED_RECORDS",
          "MAP_OUTPUT_MATERIALIZED_BYTES",
          "REDUCE_SHUFFLE_BYTES",
          "COMBINE_INPUT_RECORDS",
          "COMBINE_OUTPUT_RECORDS",
          "CPU_MILLISECONDS");

  /** What a combiner leaves: fewer records where it sees those of several maps together. */
  private static final String COMBINED = "REDUCE_INPUT_RECORDS";

  private ComparedCounters() {}

  /**
   * By group and name.
   *
   * @param combinesMaps whether the records of several maps are combined together
   */
  public static TreeMap<String, Long> of(Job job, boolean combinesMaps) throws IOException {
    return of(job.getCounters(), combinesMaps);
  }

  /** The same of either interface's. */
  public static <C extends Counter, G extends CounterGroupBase<C>> TreeMap<String, Long> of(
      AbstractCounters<C, G> counters, boolean combinesMaps) {
    TreeMap<String, Long> all = new TreeMap<>();
    for (G group : counters) {
      for (C counter : group) {
        if (isCompared(group.getName(), counter.getName(), combinesMaps)) {
          all.put(group.getName() + " " + counter.getName(), counter.getValue());
        }
      }
    }
    return all;
  }

  /** Whether this one is. */
  public static boolean isCompared(String group, String name, boolean combinesMaps) {
    return !group.endsWith("FileSystemCounter")
        && !OTHERS_MAY.contains(name)
        && !(combinesMaps && name.equals(COMBINED));
  }
}
