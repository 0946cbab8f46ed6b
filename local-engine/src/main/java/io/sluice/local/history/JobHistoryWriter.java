package io.sluice.local.history;

import io.sluice.local.task.TaskState.AttemptRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobACLsManager;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TIPStatus;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.jobhistory.AMStartedEvent;
import org.apache.hadoop.mapreduce.jobhistory.HistoryEvent;
import org.apache.hadoop.mapreduce.jobhistory.JobFinishedEvent;
import org.apache.hadoop.mapreduce.jobhistory.JobInfoChangeEvent;
import org.apache.hadoop.mapreduce.jobhistory.JobInitedEvent;
import org.apache.hadoop.mapreduce.jobhistory.JobSubmittedEvent;
import org.apache.hadoop.mapreduce.jobhistory.JobUnsuccessfulCompletionEvent;
import org.apache.hadoop.mapreduce.jobhistory.MapAttemptFinishedEvent;
import org.apache.hadoop.mapreduce.jobhistory.ReduceAttemptFinishedEvent;
import org.apache.hadoop.mapreduce.jobhistory.TaskAttemptStartedEvent;
import org.apache.hadoop.mapreduce.jobhistory.TaskAttemptUnsuccessfulCompletionEvent;
import org.apache.hadoop.mapreduce.jobhistory.TaskFailedEvent;
import org.apache.hadoop.mapreduce.jobhistory.TaskFinishedEvent;
import org.apache.hadoop.mapreduce.jobhistory.TaskStartedEvent;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobIndexInfo;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * Makes the events of one job, as an ApplicationMaster makes them for the history server, and
 * writes them to a {@link HistoryFile}.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link #ended} closes the file. Failure: the
 * job runs on without a history, and a warning gives the reason.
 */
public final class JobHistoryWriter {
  private static final String RACK = "/default-rack";
  private static final String LOCALITY = "NODE_LOCAL";
  private static final String AVATAAR = "VIRGIN";
  private static final int NO_PORT = -1;

  private final JobConf conf;
  private final JobID id;
  private final String host;
  private final long submitMs;
  private final HistoryFile file;
  private volatile long launchMs;

  /**
   * The events of a job; nothing is written yet.
   *
   * @param submitDirectory for the file until the job ends
   * @param threads of the job's user
   * @param mostEndS seconds that the job's end waits for the file
   */
  public JobHistoryWriter(
      JobConf conf,
      JobID id,
      Path submitDirectory,
      long submitMs,
      ThreadFactory threads,
      int mostEndS) {
    this.file = new HistoryFile(conf, id, submitDirectory, threads, mostEndS);
    this.conf = conf;
    this.id = id;
    this.host = conf.get(MRJobConfig.JOB_SUBMITHOST, "localhost");
    this.submitMs = submitMs;
  }

  /** The job begins. */
  public void submitted(String jobFile) {
    if (!file.begin()) {
      return;
    }
    file.write(this::clientStarted);
    file.write(
        () ->
            new JobSubmittedEvent(
                id,
                conf.getJobName(),
                conf.getUser(),
                submitMs,
                jobFile,
                new JobACLsManager(conf).constructJobACLs(conf),
                conf.getQueueName(),
                conf.get(MRJobConfig.WORKFLOW_ID, ""),
                conf.get(MRJobConfig.WORKFLOW_NAME, ""),
                conf.get(MRJobConfig.WORKFLOW_NODE_NAME, ""),
                "",
                conf.get(MRJobConfig.WORKFLOW_TAGS, ""),
                conf));
  }

  /** The history server shows only jobs with an ApplicationMaster; the client stands for it. */
  private HistoryEvent clientStarted() {
    ApplicationAttemptId client =
        ApplicationAttemptId.newInstance(
            ApplicationId.newInstance(Long.parseLong(id.getJtIdentifier()), id.getId()), 1);
    return new AMStartedEvent(
        client, submitMs, ContainerId.newContainerId(client, 1), host, NO_PORT, NO_PORT, submitMs);
  }

  /** The tasks are known. */
  public void inited(int maps, int reduces) {
    launchMs = System.currentTimeMillis();
    file.write(
        () ->
            new JobInitedEvent(
                id, launchMs, maps, reduces, JobStatus.State.RUNNING.toString(), false));
    file.write(() -> new JobInfoChangeEvent(id, submitMs, launchMs));
  }

  /** An attempt of a task begins. */
  public void attemptStarted(AttemptRecord attempt, String[] locations) {
    TaskType type = type(attempt);
    if (attempt.id().getId() == 0) {
      file.write(
          () ->
              new TaskStartedEvent(
                  attempt.id().getTaskID(),
                  attempt.startMs(),
                  type,
                  String.join(",", locations == null ? new String[0] : locations)));
    }
    file.write(
        () ->
            new TaskAttemptStartedEvent(
                attempt.id(), type, attempt.startMs(), host, NO_PORT, NO_PORT, LOCALITY, AVATAAR));
  }

  private static TaskType type(AttemptRecord attempt) {
    return attempt.id().getTaskID().getTaskType();
  }

  /** An attempt and its task have succeeded. */
  public void attemptSucceeded(AttemptRecord attempt, long taskStartMs, long nowMs) {
    String status = JobStatus.State.SUCCEEDED.toString();
    Counters counters = new Counters(attempt.counters());
    file.write(
        () ->
            type(attempt) == TaskType.MAP
                ? new MapAttemptFinishedEvent(
                    attempt.id(),
                    TaskType.MAP,
                    status,
                    or(attempt.shuffledMs(), nowMs),
                    nowMs,
                    host,
                    NO_PORT,
                    RACK,
                    attempt.state(),
                    counters,
                    null,
                    attempt.startMs())
                : new ReduceAttemptFinishedEvent(
                    attempt.id(),
                    TaskType.REDUCE,
                    status,
                    or(attempt.shuffledMs(), nowMs),
                    or(attempt.sortedMs(), nowMs),
                    nowMs,
                    host,
                    NO_PORT,
                    RACK,
                    attempt.state(),
                    counters,
                    null,
                    attempt.startMs()));
    file.write(
        () ->
            new TaskFinishedEvent(
                attempt.id().getTaskID(),
                attempt.id(),
                nowMs,
                type(attempt),
                status,
                counters,
                taskStartMs));
  }

  private static long or(long time, long otherwise) {
    return time == 0 ? otherwise : time;
  }

  /** An attempt has failed or was killed. */
  public void attemptFailed(AttemptRecord attempt, JobStatus.State how, String error, long nowMs) {
    file.write(
        () ->
            new TaskAttemptUnsuccessfulCompletionEvent(
                attempt.id(),
                type(attempt),
                how.toString(),
                nowMs,
                host,
                NO_PORT,
                RACK,
                error,
                new Counters(attempt.counters()),
                null,
                attempt.startMs()));
  }

  /** A task has failed or was killed with its last attempt. */
  public void taskFailed(
      AttemptRecord attempt, JobStatus.State how, String error, long taskStartMs, long nowMs) {
    TaskAttemptID failed = how == JobStatus.State.FAILED ? attempt.id() : null;
    file.write(
        () ->
            new TaskFailedEvent(
                attempt.id().getTaskID(),
                nowMs,
                type(attempt),
                error,
                how.toString(),
                failed,
                new Counters(attempt.counters()),
                taskStartMs));
  }

  /**
   * The job has ended. Returns when the history server has the files, or after the time limit.
   *
   * @param failure the reason, unless the job succeeded
   * @param counters of all tasks and of the job
   */
  public void ended(
      JobStatus.State how,
      String failure,
      TaskReport[] mapReports,
      TaskReport[] reduceReports,
      Counters counters) {
    if (!file.isWritten()) {
      file.drop();
      return;
    }
    TaskTotals maps = new TaskTotals(mapReports);
    TaskTotals reduces = new TaskTotals(reduceReports);
    long nowMs = System.currentTimeMillis();
    if (how == JobStatus.State.SUCCEEDED) {
      file.write(
          () ->
              new JobFinishedEvent(
                  id,
                  nowMs,
                  maps.succeeded(),
                  reduces.succeeded(),
                  maps.failed(),
                  reduces.failed(),
                  maps.killed(),
                  reduces.killed(),
                  maps.counters(),
                  reduces.counters(),
                  counters));
    } else {
      file.write(
          () ->
              new JobUnsuccessfulCompletionEvent(
                  id,
                  nowMs,
                  maps.succeeded(),
                  reduces.succeeded(),
                  maps.failed(),
                  reduces.failed(),
                  maps.killed(),
                  reduces.killed(),
                  how.toString(),
                  List.of(failure)));
    }
    file.end(() -> index(how, nowMs, maps, reduces), index -> summary(index, maps, reduces));
  }

  private JobIndexInfo index(JobStatus.State how, long nowMs, TaskTotals maps, TaskTotals reduces) {
    JobIndexInfo index =
        new JobIndexInfo(
            submitMs,
            nowMs,
            conf.getUser(),
            conf.getJobName(),
            TypeConverter.toYarn(id),
            maps.succeeded(),
            reduces.succeeded(),
            how.toString(),
            conf.getQueueName());
    index.setJobStartTime(launchMs);
    return index;
  }

  /** The text of stock's JobSummary. */
  private String summary(JobIndexInfo index, TaskTotals maps, TaskTotals reduces) {
    StringBuilder all = new StringBuilder();
    for (Map.Entry<String, Object> each :
        List.<Map.Entry<String, Object>>of(
            Map.entry("jobId", id),
            Map.entry("submitTime", submitMs),
            Map.entry("launchTime", launchMs),
            Map.entry("firstMapTaskLaunchTime", maps.firstStartMs()),
            Map.entry("firstReduceTaskLaunchTime", reduces.firstStartMs()),
            Map.entry("finishTime", index.getFinishTime()),
            Map.entry("resourcesPerMap", 0),
            Map.entry("resourcesPerReduce", 0),
            Map.entry("numMaps", maps.reports().length),
            Map.entry("numReduces", reduces.reports().length),
            Map.entry("succededMaps", maps.succeeded()),
            Map.entry("succeededReduces", reduces.succeeded()),
            Map.entry("failedMaps", maps.failed()),
            Map.entry("failedReduces", reduces.failed()),
            Map.entry("killedMaps", maps.killed()),
            Map.entry("killedReduces", reduces.killed()),
            Map.entry("user", index.getUser()),
            Map.entry("queue", index.getQueueName()),
            Map.entry("status", index.getJobStatus()),
            Map.entry("mapSlotSeconds", 0),
            Map.entry("reduceSlotSeconds", 0),
            Map.entry("jobName", index.getJobName()))) {
      String value = each.getValue().toString().replaceAll("([\\\\,=])", "\\\\$1");
      all.append(all.length() == 0 ? "" : ",").append(each.getKey()).append('=').append(value);
    }
    return all.toString();
  }

  /** The results of all tasks of one type. */
  record TaskTotals(TaskReport[] reports) {
    private Stream<TaskReport> in(TIPStatus status) {
      return Arrays.stream(reports).filter(report -> report.getCurrentStatus() == status);
    }

    int succeeded() {
      return (int) in(TIPStatus.COMPLETE).count();
    }

    int failed() {
      return (int) in(TIPStatus.FAILED).count();
    }

    int killed() {
      return (int) in(TIPStatus.KILLED).count();
    }

    /** The start of the first task; 0 if none has begun. */
    long firstStartMs() {
      return Arrays.stream(reports)
          .mapToLong(TaskReport::getStartTime)
          .filter(startMs -> startMs > 0)
          .min()
          .orElse(0);
    }

    Counters counters() {
      Counters all = new Counters();
      Arrays.stream(reports).forEach(report -> all.incrAllCounters(report.getTaskCounters()));
      return all;
    }
  }
}
