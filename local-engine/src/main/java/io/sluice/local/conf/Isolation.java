package io.sluice.local.conf;

import java.util.Locale;
import org.apache.hadoop.mapred.JobConf;

/** Which tasks of a job share the static fields of the classes that are not Java's or Hadoop's. */
public enum Isolation {
  /** Tasks that run one after the other in the same slot. */
  SLOT,
  /** No tasks. */
  TASK,
  /** All tasks of the job, and the client. */
  NONE;

  /** That of a job. */
  public static Isolation of(JobConf job) {
    return valueOf(LocalSettings.ISOLATION.get(job::getTrimmed).toUpperCase(Locale.ROOT));
  }
}
