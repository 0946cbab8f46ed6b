package io.sluice.local.task;

import io.sluice.local.count.MeteredConf;
import io.sluice.local.count.TaskMeters;
import io.sluice.local.exchange.JobExchange;
import io.sluice.local.loader.SlotLoader;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.function.Function;
import javax.crypto.SecretKey;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs attempts of one job with Hadoop's own task code.
 *
 * <p>Thread contract: safe from any thread, which is the task's thread meanwhile. Ownership: the
 * job closes it after its tasks. Failure: whatever the attempt failed with, after its output was
 * aborted and what it had open was closed.
 */
public final class TaskRun implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskRun.class);

  private final JobConf job;
  private final String jobFile;
  private final JobExchange exchange;
  private final Function<TaskID, TaskState> tasks;
  private final SecretKey shuffleSecret;
  private final long writeLimitBytes;
  private final TaskUsers users;
  private final TaskLoaders ofMaps;
  private final TaskLoaders ofReduces;

  /**
   * Of a job.
   *
   * @param job its settings, of which each attempt has a copy
   * @param shuffleSecret as tasks of a cluster have one
   * @param writeLimitBytes most that an attempt may write to local files; negative for any amount
   */
  public TaskRun(
      JobConf job,
      String jobFile,
      JobExchange exchange,
      Function<TaskID, TaskState> tasks,
      SecretKey shuffleSecret,
      long writeLimitBytes) {
    this.job = job;
    this.jobFile = jobFile;
    this.exchange = exchange;
    this.tasks = tasks;
    this.shuffleSecret = shuffleSecret;
    this.writeLimitBytes = writeLimitBytes;
    this.users = new TaskUsers(job.getCredentials());
    TaskExits.sayWhoExits();
    this.ofMaps = new TaskLoaders(job);
    this.ofReduces = new TaskLoaders(job);
  }

  /** Threads for attempts are to be in this group, by which their ends of the process are known. */
  public static ThreadGroup threads() {
    return TaskExits.group();
  }

  /** Whatever becomes of it: its tasks are done. */
  @Override
  public void close() {
    users.close();
    try {
      Closer.all(ofMaps, ofReduces);
    } catch (IOException e) {
      LOG.warn("Classes of the job stay in memory", e);
    }
  }

  /** Runs a map. */
  public void map(TaskAttemptID attempt, TaskSplitIndex split) throws Exception {
    run(new LocalTasks.LocalMap(jobFile, attempt, split));
  }

  /** Runs a reduce. */
  public void reduce(TaskAttemptID attempt, int maps) throws Exception {
    run(new LocalTasks.LocalReduce(jobFile, attempt, maps));
  }

  private <T extends Task & LocalTasks.Abortable> void run(T task) throws Exception {
    TaskLoaders loaders = task.isMapTask() ? ofMaps : ofReduces;
    ClassLoader loader = loaders.take();
    Throwable failure = null;
    Thread.currentThread().setContextClassLoader(loader);
    if (loader instanceof SlotLoader slot) {
      TaskAttemptID attempt = task.getTaskID();
      slot.serve(reason -> tasks.apply(attempt.getTaskID()).kill(attempt, reason));
    }
    try (TaskMeters meters = new TaskMeters()) {
      JobConf conf = new MeteredConf(job, meters);
      conf.setClassLoader(loader);
      users.run(loader, () -> run(task, loader, conf, meters));
    } catch (Throwable e) {
      failure = e;
      String advice = loader instanceof SlotLoader ? TaskLoaders.advice(e) : null;
      if (advice != null) {
        throw new IOException(advice + ": " + e, e);
      }
      throw e;
    } finally {
      end(task.getTaskID(), loaders, loader, failure);
    }
  }

  /** Whatever becomes of it: what has succeeded is committed, and must not fail any more. */
  private void end(
      TaskAttemptID attempt, TaskLoaders loaders, ClassLoader loader, Throwable failure) {
    try {
      exchange.ended(attempt);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: something of it could not be given back", attempt, e);
      if (failure != null) {
        failure.addSuppressed(e);
      }
    }
    try {
      if (!loaders.giveBack(loader, failure != null)) {
        users.end(loader);
      }
    } catch (IOException e) {
      LOG.warn("{}: its classes stay in memory", attempt, e);
    }
  }

  private <T extends Task & LocalTasks.Abortable> void run(
      T task, ClassLoader loader, JobConf conf, TaskMeters meters) throws Exception {
    TaskAttemptID attempt = task.getTaskID();
    String[] localDirs = conf.getTrimmedStrings(MRConfig.LOCAL_DIR);
    for (int i = 0; i < localDirs.length; i++) {
      localDirs[i] = localDirs[i] + Path.SEPARATOR + attempt;
      make(localDirs[i]);
    }
    conf.setStrings(MRConfig.LOCAL_DIR, localDirs);
    make(conf.get(MRJobConfig.JOB_LOCAL_DIR));
    beginAsContainer(conf, attempt);
    task.setJobFile(jobFile);
    task.setShuffleSecret(shuffleSecret);
    task.localizeConfiguration(conf);
    task.setConf(conf);
    try {
      task.run(conf, Umbilical.of(tasks, meters, limits(conf)));
      if (loader instanceof SlotLoader slot) { // its program may have set another
        slot.requireNoExit();
      }
    } catch (Throwable e) {
      AttemptThread.cleansUp();
      abort(task, attempt, e);
      throw e;
    } finally {
      delete(conf, attempt, localDirs);
    }
  }

  private Umbilical.Limits limits(JobConf conf) {
    return new Umbilical.Limits(
        writeLimitBytes,
        conf.getBoolean(
            MRJobConfig.MR_TASK_ENABLE_PING_FOR_LIVELINESS_CHECK,
            MRJobConfig.DEFAULT_MR_TASK_ENABLE_PING_FOR_LIVELINESS_CHECK));
  }

  /** What stock's YarnChild does before it runs a task, as far as it has a meaning here. */
  private static void beginAsContainer(JobConf conf, TaskAttemptID attempt) throws IOException {
    CallerContext.setCurrent(new CallerContext.Builder("mr_" + attempt).build());
    FileSystem.get(conf).setWorkingDirectory(conf.getWorkingDirectory());
  }

  /**
   * Stock would make it when it looks for it, and without its native library start a process for
   * that. Where it cannot be made stock goes on with the others.
   */
  private static void make(String localDir) {
    new File(new Path(localDir).toUri().getPath()).mkdirs();
  }

  /** What cannot be deleted is once more at the end of the job. */
  private static void delete(JobConf conf, TaskAttemptID attempt, String[] localDirs) {
    for (String localDir : localDirs) {
      try {
        FileSystem.getLocal(conf).delete(new Path(localDir), true);
      } catch (IOException e) {
        LOG.warn("{}: {} could not be deleted", attempt, localDir, e);
      }
    }
  }

  private static void abort(LocalTasks.Abortable task, TaskAttemptID attempt, Throwable cause) {
    try {
      task.abortOutput();
    } catch (Throwable e) { // the user's code
      LOG.warn("{}: its output could not be aborted", attempt, e);
      cause.addSuppressed(e);
    }
  }
}
