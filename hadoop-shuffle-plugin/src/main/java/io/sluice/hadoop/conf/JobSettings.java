package io.sluice.hadoop.conf;

import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.node.conf.Setting;
import io.sluice.node.wire.Timeouts;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** The settings of a job. */
public final class JobSettings {
  /** Transport of remote reads. */
  public static final Setting<String> TRANSPORT =
      Setting.transport(
          "sluice.reduce.transport",
          "Transport with which reducers read remote map outputs. `auto` takes the best that"
              + " works on both nodes. A named transport is used where the node offers it, and"
              + " tcp elsewhere. A read that fails is tried once more over tcp.");

  /** Window memory of a reduce task. */
  public static final Setting<Integer> REDUCE_BUFFER_MB =
      Setting.integer(
          "sluice.reduce.buffer-mb",
          64,
          1,
          1024,
          "Off-heap memory of a reduce task for reading remote map outputs, in MiB. Add it to the"
              + " task's container. The task reads from one node at a time for each 64 KiB of it,"
              + " within its limit on open files (`ulimit -n`).");

  /** Deadline of each exchange with a node service. */
  public static final Setting<Integer> IO_TIMEOUT_MS =
      Setting.integer(
          "sluice.io.timeout-ms",
          30_000,
          100,
          600_000,
          "Deadline of one exchange with a node service (connect, request or read), in"
              + " milliseconds.");

  /** How long a restart of a node service may take. */
  public static final Setting<Integer> RESTART_TIMEOUT_MS =
      Setting.integer(
          "sluice.restart.timeout-ms",
          180_000,
          100,
          3_600_000,
          "How long a task waits for a node service that does not answer, in milliseconds. The"
              + " task waits at most half of `mapreduce.task.timeout`. A NodeManager with"
              + " recovery that restarts within this time fails no task.");

  /** Whether anything may take over from Sluice; {@link FallbackPolicy} reads it. */
  public static final Setting<String> FALLBACK_POLICY =
      Setting.choice(
          FallbackPolicy.KEY,
          "Fallback if Sluice, or the named transport, does not work. `auto`: the stock shuffle"
              + " or another transport takes over, and Sluice counts it. `never`: the task or the"
              + " read fails and says why. Reducers then read each node over one transport and ask"
              + " no ShuffleHandler.",
          FallbackPolicy.AUTO.value(),
          FallbackPolicy.NEVER.value());

  /** Where reducers find the node services; read by both sides. */
  public static final Setting<Integer> PORT_OFFSET = NodeSettings.PORT_OFFSET;

  /** Where the names of files of the cluster are. */
  public static final Setting<String> CLUSTER_ROOT =
      Setting.text(
          "sluice.cluster.root",
          "",
          "`.sluice` in the user's home directory",
          "Directory, on another file system, that holds the names of the [files in the memory of"
              + " the cluster](cluster-files.md). All jobs that share these files need the same"
              + " value.");

  /** Whether those files have copies. */
  public static final Setting<Boolean> CLUSTER_WRITE_BEHIND =
      Setting.bool(
          "sluice.cluster.write-behind",
          false,
          "Whether each such file is also written to that other file system. Readers use the copy"
              + " if the file's node is lost.");

  /** A merge waits so long for a node that takes no further connection; then the attempt fails. */
  private static final long BUSY_TIMEOUT_MS = 300_000;

  private JobSettings() {}

  /** Why the first wrong value is refused; empty if all are right. */
  public static Optional<String> firstError(UnaryOperator<String> values) {
    for (Setting<?> setting : all()) {
      try {
        setting.get(values);
      } catch (IllegalArgumentException e) {
        return Optional.of(e.getMessage());
      }
    }
    return Optional.empty();
  }

  /** How long the tasks of a job wait for node services. */
  public static Timeouts timeouts(JobConf job) {
    return new Timeouts(IO_TIMEOUT_MS.get(job::getTrimmed), restartMs(job), BUSY_TIMEOUT_MS);
  }

  /** A task that waits reports no progress, and must not be killed for that. */
  private static long restartMs(JobConf job) {
    long restartMs = RESTART_TIMEOUT_MS.get(job::getTrimmed);
    long taskMs = job.getLong(MRJobConfig.TASK_TIMEOUT, MRJobConfig.DEFAULT_TASK_TIMEOUT_MILLIS);
    return taskMs <= 0 ? restartMs : Math.min(restartMs, taskMs / 2);
  }

  /** All of them, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return List.of(
        TRANSPORT,
        REDUCE_BUFFER_MB,
        IO_TIMEOUT_MS,
        RESTART_TIMEOUT_MS,
        FALLBACK_POLICY,
        PORT_OFFSET,
        CLUSTER_ROOT,
        CLUSTER_WRITE_BEHIND);
  }
}
