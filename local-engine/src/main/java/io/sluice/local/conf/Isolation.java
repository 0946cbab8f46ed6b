package io.sluice.local.conf;

import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Of which classes tasks that run at a time have static fields of their own. */
public enum Isolation {
  /** Of none. */
  NONE,
  /** Of those that come with the job. */
  JOB_CLASSES,
  /**
   * Of all but the JDK's, Hadoop's and Sluice's. Pig 0.17 needs it: it keeps in static fields the
   * task that it works for ({@code PigMapReduce.sJobContext}, {@code PigStatusReporter}, {@code
   * PigMapReduceCounter}), and takes from there what it counts, which split it reads and how it
   * compares. Its classes come with the job, and are on the client's class path, too.
   */
  ALL_CLASSES;

  private static final String PIG = "org.apache.pig.";

  /** That of a job. */
  public static Isolation of(JobConf job) {
    boolean isPig =
        List.of(MRJobConfig.MAP_CLASS_ATTR, MRJobConfig.REDUCE_CLASS_ATTR).stream()
            .anyMatch(name -> job.getTrimmed(name, "").startsWith(PIG));
    if (isPig) {
      return ALL_CLASSES;
    }
    return isConfigured(job) ? JOB_CLASSES : NONE;
  }

  /** Whether the job asks for it. */
  public static boolean isConfigured(JobConf job) {
    return LocalSettings.ISOLATION.get(job::getTrimmed).equals("task");
  }
}
