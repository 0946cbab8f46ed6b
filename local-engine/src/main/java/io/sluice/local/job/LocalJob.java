package io.sluice.local.job;

import io.sluice.local.cache.JobCache;
import io.sluice.local.history.JobHistoryWriter;
import io.sluice.local.job.AttemptLog.FailureLog;
import io.sluice.local.job.JobTable.EndedJob;
import io.sluice.local.job.JobTable.JobView;
import io.sluice.local.job.JobTable.LocalJobStatus;
import io.sluice.local.staging.StagedPaths;
import io.sluice.local.task.AttemptThread.CallingJob;
import io.sluice.local.task.TaskState;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.split.SplitMetaInfoReader;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job from its submission to its end. Its tasks run on threads of this process.
 *
 * <p>Thread contract: safe from any thread. Ownership: it ends by itself, and leaves no thread,
 * file or byte in the store. Failure: a task that fails too often fails the job, with that task's
 * reason.
 */
public final class LocalJob implements JobView {
  private static final Logger LOG = LoggerFactory.getLogger(LocalJob.class);
  private static final int HISTORY_END_S = 60;

  private final JobID id;
  private final Path submitDirectory;
  private final Path jobFile;
  private final JobConf conf;
  private final UserGroupInformation user;
  private final FileSystem files;
  private final long startMs = System.currentTimeMillis();
  private final JobHistoryWriter history;
  private final RecentJobFiles kept;
  private final FailureLog failures = new FailureLog();
  private final AttemptLog log;
  private final JobThreads threads;
  private final LocalJobSettings settings;
  private final CommitterCall calls;
  private Consumer<EndedJob> whenEnded = job -> {};
  private JobPriority priority;
  private JobTasks tasks; // null until they are known
  private Thread thread; // null if it must not be interrupted
  private JobStatus.State state = JobStatus.State.PREP;
  private boolean isSetUp;
  private boolean killed;
  private volatile int kills; // changed under the lock
  private long finishMs;
  private String failure = "";

  /**
   * A job that was submitted into a directory; at its end {@code kept} takes over the remaining
   * files.
   */
  public LocalJob(JobID id, Path submitDirectory, Credentials credentials, RecentJobFiles kept)
      throws IOException {
    this.id = id;
    this.submitDirectory = submitDirectory;
    this.kept = kept;
    this.jobFile = new Path(submitDirectory, MRJobConfig.JOB_CONF_FILE);
    this.conf = new JobConf(jobFile);
    StagedPaths.makePlain(conf);
    JobChecks.require(conf, System::getenv);
    this.files = submitDirectory.getFileSystem(conf);
    this.user = UserGroupInformation.getCurrentUser();
    this.priority = JobPriority.valueOf(conf.getJobPriority().name());
    conf.setCredentials(credentials);
    conf.setUser(user.getShortUserName());
    threads = new JobThreads(id, user, conf);
    history =
        new JobHistoryWriter(
            conf, id, submitDirectory, startMs, threads.of("job-history"), HISTORY_END_S);
    log = new AttemptLog(history, failures);
    settings = new LocalJobSettings(conf, id);
    calls = new CommitterCall(threads.of("job-committer"), settings.cancelTimeoutMs());
  }

  /** Begins; returns at once. */
  public void start() {
    Thread made = threads.ofJob().newThread(this::run);
    synchronized (this) {
      thread = made;
    }
    made.start();
  }

  private void run() {
    JobContextImpl context = new JobContextImpl(conf, id);
    OutputCommitter committer = null;
    JobCache cache = null;
    Throwable why = null;
    try {
      history.submitted(jobFile.toString());
      cache = JobCache.localize(conf, id, CallingJob.here(), this::isKilled);
      Thread.currentThread().setContextClassLoader(conf.getClassLoader());
      committer = calls.run("getOutputCommitter", this::committer, this::isKilled);
      TaskSplitMetaInfo[] splits =
          SplitMetaInfoReader.readSplitMetaInfo(id, files, conf, submitDirectory);
      log.begin(splits);
      JobTasks all = begin(new JobTasks(id, settings, splits, threads, log));
      history.inited(splits.length, conf.getNumReduceTasks());
      call("setupJob", committer, of -> of.setupJob(context));
      setUp();
      all.run(jobFile.toString());
      requireNotKilled();
      call("commitJob", committer, of -> of.commitJob(context));
    } catch (Throwable e) {
      why = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
    }
    JobStatus.State how = how(why); // a later kill has no effect
    if (how == JobStatus.State.FAILED) {
      failures.log(id + " failed: " + why, why);
    } else if (how == JobStatus.State.KILLED) {
      LOG.info("{} was killed", id);
    }
    if (how != JobStatus.State.SUCCEEDED) {
      abort(committer, context, how);
    }
    end(cache, how, failure(why));
  }

  /** Does all steps even if one fails. Clients wait for the last step but one. */
  private void end(JobCache cache, JobStatus.State how, String failure) {
    try {
      Closer.all(
          () ->
              history.ended(
                  how,
                  failure,
                  reports(TaskType.MAP),
                  reports(TaskType.REDUCE),
                  new org.apache.hadoop.mapreduce.Counters(counters())),
          cache,
          () -> RecentJobFiles.removeOthers(files, submitDirectory),
          this::deleteLocalDirs,
          () -> JobEndNotice.send(conf, notice(how)),
          () -> ended(how, failure),
          () -> kept.ended(submitDirectory));
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} could not clean up completely", id, e);
    }
  }

  private void deleteLocalDirs() throws IOException {
    for (String directory : conf.getTrimmedStrings(MRConfig.LOCAL_DIR)) {
      FileSystem.getLocal(conf).delete(new Path(directory), true);
    }
  }

  /** A call of the committer. */
  private interface CommitterAction {
    void apply(OutputCommitter committer) throws IOException;
  }

  private void call(String what, OutputCommitter committer, CommitterAction action)
      throws Throwable {
    call(what, committer, action, this::isKilled);
  }

  private void call(
      String what, OutputCommitter committer, CommitterAction action, BooleanSupplier isCancelled)
      throws Throwable {
    calls.run(
        what + " of " + committer.getClass().getName(),
        () -> {
          action.apply(committer);
          return null;
        },
        isCancelled);
  }

  /** Aborts the job's output, also after a kill; a further kill cancels the abort. */
  private void abort(OutputCommitter committer, JobContextImpl context, JobStatus.State how) {
    if (committer != null) {
      int killsBefore = kills;
      try {
        call("abortJob", committer, of -> of.abortJob(context, how), () -> kills > killsBefore);
      } catch (Throwable e) { // the user's code may throw anything
        LOG.warn("{}: the output committer's abortJob failed", id, e);
      }
    }
  }

  private synchronized JobTasks begin(JobTasks all) {
    tasks = all;
    state = JobStatus.State.RUNNING;
    if (killed) {
      all.stop();
    }
    return all;
  }

  private synchronized void setUp() {
    isSetUp = true;
  }

  private TaskAttemptContextImpl attemptOfNone() {
    return new TaskAttemptContextImpl(conf, new TaskAttemptID(new TaskID(id, TaskType.MAP, 0), 0));
  }

  private OutputCommitter committer() throws Exception {
    boolean isNew = conf.getNumReduceTasks() > 0 ? conf.getUseNewReducer() : conf.getUseNewMapper();
    if (isNew) {
      TaskAttemptContextImpl attempt = attemptOfNone();
      return ReflectionUtils.newInstance(attempt.getOutputFormatClass(), conf)
          .getOutputCommitter(attempt);
    }
    return conf.getOutputCommitter();
  }

  private synchronized void requireNotKilled() throws InterruptedException {
    if (killed) {
      throw new InterruptedException(id + " was killed before it was committed");
    }
  }

  /**
   * The job's result. A killed job is KILLED even if the commit was done, as in stock's
   * ApplicationMaster.
   */
  private synchronized JobStatus.State how(Throwable why) {
    thread = null;
    Thread.interrupted(); // the next steps must not be interrupted
    if (killed) {
      return JobStatus.State.KILLED;
    }
    return why == null ? JobStatus.State.SUCCEEDED : JobStatus.State.FAILED;
  }

  private org.apache.hadoop.mapred.JobStatus notice(JobStatus.State how) {
    return new org.apache.hadoop.mapred.JobStatus(
        id, 1, 1, 1, how.getValue(), conf.getUser(), conf.getJobName(), jobFile.toString(), "");
  }

  private static String failure(Throwable why) {
    return why == null ? "" : ErrorText.of(why);
  }

  private synchronized void ended(JobStatus.State how, String why) {
    finishMs = System.currentTimeMillis();
    state = how;
    failure = why;
    Map<TaskID, TaskState> known = new LinkedHashMap<>();
    if (tasks != null) {
      tasks.all().forEach(task -> known.put(task.id(), task));
    }
    whenEnded.accept(new EndedJob(status(), counters(), known, log.events()));
  }

  private synchronized boolean isKilled() {
    return killed;
  }

  /** Kills the job, which ends soon after. */
  public synchronized void kill() {
    killed = true;
    kills++;
    if (tasks != null) {
      tasks.stop();
    }
    if (thread != null) {
      thread.interrupt(); // it may run the user's code or wait for a file system
    }
  }

  /** Registers a receiver of the job's record, called at its end in any case. */
  synchronized void onEnd(Consumer<EndedJob> whenEnded) {
    this.whenEnded = whenEnded;
  }

  /**
   * Sets the priority that clients see. It has no other effect, because all jobs of a process run
   * in parallel.
   */
  public synchronized void setPriority(JobPriority priority) {
    this.priority = priority;
  }

  @Override
  public synchronized JobStatus status() {
    boolean done = state == JobStatus.State.SUCCEEDED;
    return new LocalJobStatus(
        id,
        isSetUp || done ? 1 : 0,
        done ? 1 : tasks == null ? 0 : tasks.mapProgress(),
        done ? 1 : tasks == null ? 0 : tasks.reduceProgress(),
        finishMs > 0 ? 1 : 0,
        state,
        priority,
        conf,
        jobFile.toString(),
        startMs,
        finishMs,
        failure);
  }

  private synchronized List<TaskState> of(TaskType type) {
    if (tasks == null) {
      return List.of();
    }
    return switch (type) {
      case MAP -> tasks.maps();
      case REDUCE -> tasks.reduces();
      default -> List.of();
    };
  }

  @Override
  public synchronized Counters counters() {
    return tasks == null ? new Counters() : tasks.counters();
  }

  @Override
  public TaskReport[] reports(TaskType type) {
    return of(type).stream().map(TaskState::report).toArray(TaskReport[]::new);
  }

  @Override
  public TaskCompletionEvent[] events(int from, int most) {
    return log.events(from, most);
  }

  /**
   * Kills or fails an attempt.
   *
   * @param shouldFail whether it counts as a failure of the task
   * @return false if the attempt is not running
   */
  public boolean kill(TaskAttemptID attempt, boolean shouldFail) {
    Optional<TaskState> task = task(attempt);
    return task.isPresent() && task.get().kill(attempt, shouldFail);
  }

  @Override
  public String[] diagnostics(TaskAttemptID attempt) {
    return task(attempt).map(task -> task.diagnostics(attempt)).orElse(new String[0]);
  }

  private Optional<TaskState> task(TaskAttemptID attempt) {
    List<TaskState> all = of(attempt.getTaskID().getTaskType());
    int number = attempt.getTaskID().getId();
    return number < all.size() ? Optional.of(all.get(number)) : Optional.empty();
  }
}
