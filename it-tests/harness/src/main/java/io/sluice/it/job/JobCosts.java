package io.sluice.it.job;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.ProcessTable.ProcessUse;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobHistory.JobTimes;
import io.sluice.it.job.JobHistory.TaskAttempt;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.limit.DeviceUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;

/**
 * The costs of a client's jobs, from their history, their tasks' logs and Sluice's counters. Those
 * of several jobs are added up.
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

  /** Time after the last map had ended: the rest of the reduces, and the end of the jobs. */
  public long reduceStageMs() {
    return wallMs - mapStageMs;
  }

  public long localBytes() {
    return localReadBytes + localWrittenBytes;
  }

  /**
   * The way of a job's map output, as Sluice's counters tell it: stock leaves none.
   *
   * @param transport the ways bytes were read, most bytes first
   * @param tier the tiers map output was spilled to, most bytes first
   * @param fallbacks how often something was left to stock, by reason
   */
  public record ShufflePath(String transport, String tier, Map<String, Long> fallbacks) {
    private static final String READ = "READ_BYTES_";
    private static final String SPILL = "SPILL_BYTES_";
    private static final String FALLBACK = "FALLBACK_";

    static ShufflePath of(JobCounters counters) {
      if (counters.group(JobCounters.SLUICE).isEmpty()) {
        return new ShufflePath("http", "disk", Map.of());
      }
      return new ShufflePath(
          String.join("+", names(counters, READ)),
          String.join("+", names(counters, SPILL)),
          nonZero(counters, FALLBACK));
    }

    private static List<String> names(JobCounters counters, String prefix) {
      return nonZero(counters, prefix).entrySet().stream()
          .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
          .map(Map.Entry::getKey)
          .toList();
    }

    private static Map<String, Long> nonZero(JobCounters counters, String prefix) {
      return counters.group(JobCounters.SLUICE).entrySet().stream()
          .filter(counter -> counter.getKey().startsWith(prefix) && counter.getValue() != 0)
          .collect(
              Collectors.toMap(
                  counter -> counter.getKey().substring(prefix.length()).toLowerCase(),
                  Map.Entry::getValue));
    }
  }

  /**
   * The work of this host until now, or between two times.
   *
   * @param cpuMs processor time of a cluster's daemons and their containers; not of clients
   * @param deviceBytes read from and written to block devices, by anybody: what is still to be
   *     written out is not among them
   * @param networkBytes received on all network interfaces, by anybody: over loopback, which is all
   *     of it on one host, every byte once
   */
  public record HostUse(long cpuMs, long deviceBytes, long networkBytes) {
    /** Nothing was measured. */
    public static final HostUse NONE = new HostUse(0, 0, 0);

    /** So far; waits until the last container of the cluster has ended. */
    static HostUse of(PseudoCluster cluster) {
      ProcessUse processes = cluster.useWithoutContainers();
      try {
        return new HostUse(
            processes.cpuMs(),
            deviceBytes(Path.of("/sys/block")),
            networkBytes(Files.readAllLines(Path.of("/proc/net/dev"))));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read what this host has done", e);
      }
    }

    /** The work since then. */
    HostUse since(HostUse before) {
      return new HostUse(
          cpuMs - before.cpuMs,
          deviceBytes - before.deviceBytes,
          networkBytes - before.networkBytes);
    }

    /** Not of what is made of other devices or files, whose bytes would count twice. */
    static long deviceBytes(Path blockDevices) throws IOException {
      long sumBytes = 0;
      try (DirectoryStream<Path> devices = Files.newDirectoryStream(blockDevices)) {
        for (Path device : devices) {
          if (Files.exists(device.resolve("device"))) {
            sumBytes += DeviceUse.read(device.resolve("stat")).bytes();
          }
        }
      }
      return sumBytes;
    }

    static long networkBytes(List<String> netDev) {
      return netDev.stream()
          .filter(line -> line.contains(":")) // not the two lines above
          .map(line -> line.substring(line.indexOf(':') + 1).strip().split(" +"))
          .mapToLong(fields -> Long.parseLong(fields[0]))
          .sum();
    }
  }
}
