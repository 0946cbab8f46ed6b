package io.sluice.local.history;

import io.sluice.local.task.AttemptRecord;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobACLsManager;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
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
import org.apache.hadoop.mapreduce.v2.jobhistory.JHAdminConfig;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobIndexInfo;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of one job, as an ApplicationMaster leaves them for the history server: collected
 * beside the job's other files, and handed over at its end. Written only if the job's settings say
 * where a history server is or looks; else this does nothing.
 *
 * <p>Thread contract: safe from any thread. Events are written by a thread of its own, in the order
 * in which they come, so that no job waits for a slow file system, but for a time at its end.
 * Ownership: {@link #ended} closes what is open and ends the thread. Failure: the job goes on
 * without a history, and a warning says why.
 */
public final class JobHistoryWriter {
  private static final Logger LOG = LoggerFactory.getLogger(JobHistoryWriter.class);
  private static final String RACK = "/default-rack";
  private static final String LOCALITY = "NODE_LOCAL";
  private static final String AVATAAR = "VIRGIN";
  private static final int NO_PORT = -1;

  private final JobConf conf;
  private final JobID id;
  private final Path events;
  private final String host;
  private final long submitMs;
  private final ExecutorService writer;
  private final int mostEndS;
  private volatile boolean isWritten;
  private volatile long launchMs;
  private HistoryDirectories place; // the writer's; null: there is no history, or no more
  private EventFile file; // the writer's

  /**
   * Of a job; nothing is written yet.
   *
   * @param submitDirectory where events are collected
   * @param threads of the job's user
   * @param mostEndS for how long the end of the job waits for it
   */
  public JobHistoryWriter(
      JobConf conf,
      JobID id,
      Path submitDirectory,
      long submitMs,
      ThreadFactory threads,
      int mostEndS) {
    this.mostEndS = mostEndS;
    this.writer = Executors.newSingleThreadExecutor(threads);
    this.conf = conf;
    this.id = id;
    this.events = new Path(submitDirectory, id + ".jhist");
    this.host = conf.get(MRJobConfig.JOB_SUBMITHOST, "localhost");
    this.submitMs = submitMs;
  }

  /** The job begins. */
  public void submitted(String jobFile) {
    isWritten = HistoryDirectories.isSet(conf);
    if (!isWritten) {
      return;
    }
    writer.execute(this::open);
    write(this::clientStarted);
    write(
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

  private void open() {
    try {
      place = new HistoryDirectories(conf);
      FileSystem files = events.getFileSystem(conf);
      file = new EventFile(files.create(events, true), isBinary());
    } catch (IOException | RuntimeException | LinkageError e) {
      giveUp(e);
    }
  }

  /** The history server shows no job without an ApplicationMaster; here that is the client. */
  private HistoryEvent clientStarted() {
    ApplicationAttemptId client =
        ApplicationAttemptId.newInstance(
            ApplicationId.newInstance(Long.parseLong(id.getJtIdentifier()), id.getId()), 1);
    return new AMStartedEvent(
        client, submitMs, ContainerId.newContainerId(client, 1), host, NO_PORT, NO_PORT, submitMs);
  }

  private boolean isBinary() {
    return conf.get(JHAdminConfig.MR_HS_JHIST_FORMAT, JHAdminConfig.DEFAULT_MR_HS_JHIST_FORMAT)
        .equals("binary");
  }

  private void giveUp(Throwable why) {
    LOG.warn("{} goes on without a history", id, why);
    place = null;
  }

  private void write(Supplier<HistoryEvent> event) {
    if (!isWritten) {
      return;
    }
    try {
      writer.execute(() -> writeNow(event));
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: an attempt has ended after its job", id, e);
    }
  }

  private void writeNow(Supplier<HistoryEvent> event) {
    if (place == null) {
      return;
    }
    try {
      file.write(event.get());
    } catch (IOException | RuntimeException | LinkageError e) {
      giveUp(e);
    }
  }

  /** Its tasks are known. */
  public void inited(int maps, int reduces) {
    launchMs = System.currentTimeMillis();
    write(
        () ->
            new JobInitedEvent(
                id, launchMs, maps, reduces, JobStatus.State.RUNNING.toString(), false));
    write(() -> new JobInfoChangeEvent(id, submitMs, launchMs));
  }

  /** An attempt of a task begins. */
  public void attemptStarted(AttemptRecord attempt, String[] locations) {
    TaskType type = type(attempt);
    if (attempt.id().getId() == 0) {
      write(
          () ->
              new TaskStartedEvent(
                  attempt.id().getTaskID(),
                  attempt.startMs(),
                  type,
                  String.join(",", locations == null ? new String[0] : locations)));
    }
    write(
        () ->
            new TaskAttemptStartedEvent(
                attempt.id(), type, attempt.startMs(), host, NO_PORT, NO_PORT, LOCALITY, AVATAAR));
  }

  private static TaskType type(AttemptRecord attempt) {
    return attempt.id().getTaskID().getTaskType();
  }

  /** It has ended well, and its task with it. */
  public void attemptSucceeded(AttemptRecord attempt, long taskStartMs, long nowMs) {
    String status = JobStatus.State.SUCCEEDED.toString();
    Counters counters = new Counters(attempt.counters());
    write(
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
    write(
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

  /** It has ended in vain. */
  public void attemptFailed(AttemptRecord attempt, JobStatus.State how, String error, long nowMs) {
    write(
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

  /** Its task has ended in vain with it. */
  public void taskFailed(
      AttemptRecord attempt, JobStatus.State how, String error, long taskStartMs, long nowMs) {
    TaskAttemptID failed = how == JobStatus.State.FAILED ? attempt.id() : null;
    write(
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
   * The job has ended; the history server may have it. Returns when it does, or after a time: a
   * file system that does not answer does not hold up the job.
   *
   * @param failure why, unless it succeeded
   * @param counters of all tasks, and the job's own
   */
  public void ended(
      JobStatus.State how,
      String failure,
      TaskReport[] mapReports,
      TaskReport[] reduceReports,
      Counters counters) {
    if (!isWritten) {
      writer.shutdown();
      return;
    }
    TaskTotals maps = new TaskTotals(mapReports);
    TaskTotals reduces = new TaskTotals(reduceReports);
    long nowMs = System.currentTimeMillis();
    if (how == JobStatus.State.SUCCEEDED) {
      write(
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
      write(
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
    writer.execute(
        () -> {
          close();
          handOver(how, nowMs, maps, reduces);
        });
    writer.shutdown();
    awaitWriter();
  }

  private void awaitWriter() {
    try {
      for (int s = 0; s < mostEndS; s++) { // counted: a process that was stopped waits on
        if (writer.awaitTermination(1, TimeUnit.SECONDS)) {
          return;
        }
      }
      LOG.warn("{} has no history: it was not written {} s after the job's end", id, mostEndS);
      writer.shutdownNow();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the job ends now, and the writer goes on
    }
  }

  private void close() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      giveUp(e);
    }
    file = null;
  }

  private void handOver(JobStatus.State how, long nowMs, TaskTotals maps, TaskTotals reduces) {
    if (place == null) {
      return;
    }
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
    try {
      place.put(index, events, summary(index, maps, reduces));
    } catch (IOException | RuntimeException e) {
      giveUp(e);
    }
  }

  /** As stock's JobSummary has it. */
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
}
