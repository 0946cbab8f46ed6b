package io.sluice.local.conf;

import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The settings of one task, or of one sort buffer: no other task uses the comparators that it
 * gives.
 *
 * <p>Hadoop keeps one comparator for each key class that registers one, and {@link JobConf} gives
 * that to all tasks of a process. Many of them have state, as {@code WritableComparator} itself
 * has, so two tasks that sort at a time would spoil each other's order. What a job names as a class
 * Hadoop makes anew for each who asks.
 *
 * <p>Thread contract: as any configuration.
 */
public class TaskConf extends JobConf {
  /** A copy of a job's settings. */
  public TaskConf(JobConf job) {
    super(job);
  }

  @Override
  @SuppressWarnings("rawtypes") // as it is declared
  public RawComparator getOutputKeyComparator() {
    return get(MRJobConfig.KEY_COMPARATOR) == null
        ? TaskComparators.of(getMapOutputKeyClass().asSubclass(WritableComparable.class), this)
        : super.getOutputKeyComparator();
  }
}
