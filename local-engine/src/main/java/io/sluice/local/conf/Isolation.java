package io.sluice.local.conf;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** Of which classes tasks that run at a time have static fields of their own. */
public enum Isolation {
  /** Of none. */
  NONE,
  /** Of those that come with the job and that the client does not have, too. */
  JOB_CLASSES,
  /**
   * Of all that come with the job, and those beside its programs. Pig 0.17 needs it, whose classes
   * the client has, too: it keeps in static fields the task that it works for ({@code
   * PigMapReduce.sJobContext}, {@code PigStatusReporter}, {@code PigMapReduceCounter}), and takes
   * from there what it counts, which split it reads and how it compares.
   */
  PROGRAM_CLASSES;

  private static final String PIG = "org.apache.pig.";

  /** That of a job. */
  public static Isolation of(JobConf job) {
    return switch (LocalSettings.ISOLATION.get(job::getTrimmed)) {
      case "none" -> NONE;
      case "task" -> isPig(job) ? PROGRAM_CLASSES : JOB_CLASSES;
      default -> isPig(job) ? PROGRAM_CLASSES : NONE;
    };
  }

  private static boolean isPig(JobConf job) {
    return programs(job).stream().anyMatch(name -> name.startsWith(PIG));
  }

  /** Names of a job's map and reduce, as far as it is of the new API and has them. */
  public static List<String> programs(JobConf job) {
    return List.of(MRJobConfig.MAP_CLASS_ATTR, MRJobConfig.REDUCE_CLASS_ATTR).stream()
        .flatMap(name -> Optional.ofNullable(job.getTrimmed(name)).stream())
        .toList();
  }

  /** Whether the job asks for it. */
  public static boolean isAskedFor(JobConf job) {
    return LocalSettings.ISOLATION.get(job::getTrimmed).equals("task");
  }
}
