package io.sluice.it.job;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/**
 * What a client's jobs cost, from their history, their tasks' logs and Sluice's counters; all of
 * them added up, if there are several.
 *
 * @param jobIds the jobs, one after the other
 * @param wallMs from submission to finish
 * @param cpuMs processor time of all tasks
 * @param mapStageMs from submission until the last map had ended
 * @param eachMap the phases of each map task
 * @param reduceShuffleMs time reduces spent until they had all map output, added up
 * @param reduceMergeMs time from there until reduce() began, added up
 * @param reduceAfterMapsMs what of both came after the last map had ended, added up: before that a
 *     reduce waits for maps
 * @param gcMs garbage collection in all tasks
 * @param localReadBytes read by tasks from local disk
 * @param localWrittenBytes written by tasks to local disk, Sluice's disk tier among them
 * @param spilledRecords as stock counts them
 * @param nodeManagerCpuMs processor time of the NodeManagers' own JVMs
 * @param peakTaskBytes most memory that was resident in a task's process, mapped files and shared
 *     memory too, as Hadoop's counters say
 * @param host what the whole host did meanwhile; nothing where it was not measured
 * @param path what the map output really went through
 * @param sluice all of Sluice's counters
 */
public record JobCosts(
    List<String> jobIds,
    long wallMs,
    long cpuMs,
    long mapStageMs,
    List<MapPhases> eachMap,
    long reduceShuffleMs,
    long reduceMergeMs,
    long reduceAfterMapsMs,
    long gcMs,
    long localReadBytes,
    long localWrittenBytes,
    long spilledRecords,
    long nodeManagerCpuMs,
    long peakTaskBytes,
    HostUse host,
    ShufflePath path,
    SortedMap<String, Long> sluice) {

  /** Runs a client's jobs, which must succeed, and says what they cost, the host's use too. */
  public static JobCosts measure(PseudoCluster cluster, JobSpec spec, JobProgress progress) {
    HostUse before = HostUse.of(cluster);
    JobResult result = RunningJob.run(cluster, spec, progress).requireSuccess();
    return of(cluster, result, HostUse.of(cluster).since(before));
  }

  /** Looks up what jobs cost that have finished. */
  public static JobCosts of(PseudoCluster cluster, JobResult result) {
    return of(cluster, result, HostUse.NONE);
  }

  private static JobCosts of(PseudoCluster cluster, JobResult result, HostUse host) {
    JobHistory history = JobHistory.of(cluster);
    List<String> jobs = result.jobIds();
    JobCounters counters =
        jobs.stream()
            .map(history::counters)
            .reduce(JobCounters::plus)
            .orElseThrow(() -> new ClusterException(result.spec().name() + " submitted no job"));
    List<TaskAttempt> attempts = new ArrayList<>();
    List<MapPhases> eachMap = new ArrayList<>();
    boolean isStock = counters.group(JobCounters.SLUICE).isEmpty(); // whose logs tell all
    long wallMs = 0;
    long mapStageMs = 0;
    long reduceAfterMapsMs = 0;
    for (String job : jobs) {
      List<TaskAttempt> ofJob =
          history.attempts(job).stream().filter(TaskAttempt::succeeded).toList();
      List<TaskAttempt> maps = ofJob.stream().filter(TaskAttempt::map).toList();
      for (TaskAttempt map : maps) {
        MapPhases logged = MapPhases.ofSyslog(cluster.containerLogs().syslog(map.containerId()));
        eachMap.add(
            isStock ? logged : withCounted(logged, history.taskCounters(job, map.taskId())));
      }
      JobTimes times = history.times(job);
      wallMs += times.wallMs();
      long mapsEndedAtMs =
          maps.stream().mapToLong(TaskAttempt::finishedAtMs).max().orElse(times.submittedAtMs());
      mapStageMs += mapsEndedAtMs - times.submittedAtMs();
      reduceAfterMapsMs +=
          ofJob.stream()
              .filter(attempt -> !attempt.map())
              .mapToLong(reduce -> reduce.mergedAfterMs(mapsEndedAtMs))
              .sum();
      attempts.addAll(ofJob);
    }
    return new JobCosts(
        jobs,
        wallMs,
        counters.task("CPU_MILLISECONDS"),
        mapStageMs,
        eachMap,
        attempts.stream().mapToLong(TaskAttempt::shuffleMs).sum(),
        attempts.stream().mapToLong(TaskAttempt::mergeMs).sum(),
        reduceAfterMapsMs,
        counters.task("GC_TIME_MILLIS"),
        counters.value(JobCounters.FILE_SYSTEM, "FILE_BYTES_READ")
            + diskTierBytes(counters), // what Sluice puts there is read back once
        counters.value(JobCounters.FILE_SYSTEM, "FILE_BYTES_WRITTEN") + diskTierBytes(counters),
        counters.task("SPILLED_RECORDS"),
        result.nodeManagerCpuMs(),
        Math.max(
            counters.task("MAP_PHYSICAL_MEMORY_BYTES_MAX"),
            counters.task("REDUCE_PHYSICAL_MEMORY_BYTES_MAX")),
        host,
        ShufflePath.of(counters),
        counters.group(JobCounters.SLUICE));
  }

  private static MapPhases withCounted(MapPhases logged, JobCounters ofTask) {
    return logged.plusSluice(ofTask.sluice("SPILL_MS"), ofTask.sluice("MERGE_MS"));
  }

  private static long diskTierBytes(JobCounters counters) {
    return counters.sluice("SPILL_BYTES_DISK") + counters.sluice("STAGED_BYTES_DISK");
  }

  /** The phases of all map tasks, added up. */
  public MapPhases maps() {
    return eachMap.stream().reduce(MapPhases.NONE, MapPhases::plus);
  }

  /** What came after the last map had ended: the rest of the reduces, and the end of the jobs. */
  public long reduceStageMs() {
    return wallMs - mapStageMs;
  }

  public long localBytes() {
    return localReadBytes + localWrittenBytes;
  }
}
