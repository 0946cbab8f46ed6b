package io.sluice.it.job;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import java.util.List;
import java.util.SortedMap;

/**
 * What a client's jobs cost, from their history, their tasks' logs and Sluice's counters; all of
 * them added up, if there are several.
 *
 * @param jobIds the jobs, one after the other
 * @param wallMs from submission to finish
 * @param cpuMs processor time of all tasks
 * @param mapTasks how many maps there were
 * @param maps the phases of all map tasks, added up
 * @param reduceShuffleMs time reduces spent until they had all map output, added up
 * @param reduceMergeMs time from there until reduce() began, added up
 * @param gcMs garbage collection in all tasks
 * @param localReadBytes read by tasks from local disk
 * @param localWrittenBytes written by tasks to local disk, Sluice's disk tier among them
 * @param spilledRecords as stock counts them
 * @param nodeManagerCpuMs processor time of the NodeManagers' own JVMs
 * @param path what the map output really went through
 * @param sluice all of Sluice's counters
 */
public record JobCosts(
    List<String> jobIds,
    long wallMs,
    long cpuMs,
    long mapTasks,
    MapPhases maps,
    long reduceShuffleMs,
    long reduceMergeMs,
    long gcMs,
    long localReadBytes,
    long localWrittenBytes,
    long spilledRecords,
    long nodeManagerCpuMs,
    ShufflePath path,
    SortedMap<String, Long> sluice) {

  /** Looks up what jobs cost that have finished. */
  public static JobCosts of(PseudoCluster cluster, JobResult result) {
    JobHistory history = JobHistory.of(cluster);
    List<String> jobs = result.jobIds();
    JobCounters counters =
        jobs.stream()
            .map(history::counters)
            .reduce(JobCounters::plus)
            .orElseThrow(() -> new ClusterException(result.spec().name() + " submitted no job"));
    List<TaskAttempt> attempts =
        jobs.stream()
            .flatMap(job -> history.attempts(job).stream())
            .filter(TaskAttempt::succeeded)
            .toList();
    return new JobCosts(
        jobs,
        jobs.stream().mapToLong(history::wallMs).sum(),
        counters.task("CPU_MILLISECONDS"),
        attempts.stream().filter(TaskAttempt::map).count(),
        mapPhases(cluster, counters, attempts),
        attempts.stream().mapToLong(TaskAttempt::shuffleMs).sum(),
        attempts.stream().mapToLong(TaskAttempt::mergeMs).sum(),
        counters.task("GC_TIME_MILLIS"),
        counters.value(JobCounters.FILE_SYSTEM, "FILE_BYTES_READ")
            + diskTierBytes(counters), // what Sluice puts there is read back once
        counters.value(JobCounters.FILE_SYSTEM, "FILE_BYTES_WRITTEN") + diskTierBytes(counters),
        counters.task("SPILLED_RECORDS"),
        result.nodeManagerCpuMs(),
        ShufflePath.of(counters),
        counters.group(JobCounters.SLUICE));
  }

  private static MapPhases mapPhases(
      PseudoCluster cluster, JobCounters counters, List<TaskAttempt> attempts) {
    MapPhases inLogs =
        attempts.stream()
            .filter(TaskAttempt::map)
            .map(
                attempt ->
                    MapPhases.ofSyslog(cluster.containerLogs().syslog(attempt.containerId())))
            .reduce(MapPhases.NONE, MapPhases::plus);
    return inLogs.plusSluice(counters.sluice("SPILL_MS"), counters.sluice("MERGE_MS"));
  }

  private static long diskTierBytes(JobCounters counters) {
    return counters.sluice("SPILL_BYTES_DISK") + counters.sluice("STAGED_BYTES_DISK");
  }

  public long spillAndMergeMs() {
    return maps.spillMs() + maps.mergeMs();
  }

  public long localBytes() {
    return localReadBytes + localWrittenBytes;
  }
}
