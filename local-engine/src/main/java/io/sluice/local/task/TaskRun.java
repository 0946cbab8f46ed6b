package io.sluice.local.task;

import io.sluice.local.count.MeteredConf;
import io.sluice.local.count.TaskMeters;
import io.sluice.local.exchange.JobExchange;
import io.sluice.local.loader.SlotLoader;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.threads.DaemonThreads;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
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
 * Runs attempts of one job with Hadoop's task code.
 *
 * <p>Thread contract: safe from any thread; the calling thread becomes the task's thread.
 * Ownership: the job closes it after its tasks. Failure: the exception of the attempt, after its
 * output was aborted and its resources were closed.
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
   * Attempts of a job.
   *
   * @param job settings of the job; each attempt gets a copy
   * @param shuffleSecret for Hadoop's task code
   * @param writeLimitBytes most bytes that an attempt may write to local files; negative for no
   *     limit
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
    ExitReport.install();
    this.ofMaps = new TaskLoaders(job);
    this.ofReduces = new TaskLoaders(job);
  }

  /** The group for threads of attempts; it tells whether a task has ended the process. */
  public static ThreadGroup threads() {
    return ExitReport.group();
  }

  /** Never fails, because the tasks are done. */
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

  /** Never fails, because a successful attempt has committed. */
  private void end(
      TaskAttemptID attempt, TaskLoaders loaders, ClassLoader loader, Throwable failure) {
    try {
      exchange.ended(attempt);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{}: memory or files of the attempt could not be freed", attempt, e);
      if (failure != null) {
        failure.addSuppressed(e);
      }
    }
    try {
      if (!loaders.giveBack(loader, failure != null)) {
        users.end(loader);
      }
    } catch (IOException e) {
      LOG.warn("{}: classes of the attempt stay in memory", attempt, e);
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
      if (loader instanceof SlotLoader slot) { // the program may have set another context loader
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

  /** The steps of stock's YarnChild before a task, as far as they apply here. */
  private static void beginAsContainer(JobConf conf, TaskAttemptID attempt) throws IOException {
    CallerContext.setCurrent(new CallerContext.Builder("mr_" + attempt).build());
    FileSystem.get(conf).setWorkingDirectory(conf.getWorkingDirectory());
  }

  /**
   * Makes a local directory. Otherwise stock would make it, and without its native library start a
   * process for that. If it cannot be made stock uses the others.
   */
  private static void make(String localDir) {
    new File(new Path(localDir).toUri().getPath()).mkdirs();
  }

  /** Deletes the local directories; the end of the job tries again. */
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
      LOG.warn("{}: the output of the attempt could not be aborted", attempt, e);
      cause.addSuppressed(e);
    }
  }

  /**
   * Prints a message if a task ends the process. That happens with {@code
   * sluice.local.isolation=none}, or by calls that a slot's class loader does not see, such as
   * calls by reflection.
   *
   * <p>Thread contract: safe from any thread.
   */
  private static final class ExitReport {
    /**
     * The group of all tasks of the process, and of threads that they start. It lies in the top
     * group, because the group of the first client might be a daemon, which ends with its threads.
     */
    private static final ThreadGroup TASKS =
        new ThreadGroup(DaemonThreads.topGroup(), "sluice tasks");

    private static boolean installed; // guarded by the class

    private ExitReport() {}

    /** The group for threads of tasks. */
    static ThreadGroup group() {
      return TASKS;
    }

    /** Installs the message for the end of the process. */
    static synchronized void install() {
      if (!installed) {
        installed = true;
        Runtime.getRuntime()
            .addShutdownHook(DaemonThreads.create("sluice-exit", ExitReport::report));
      }
    }

    private static void report() {
      Thread[] threads = new Thread[TASKS.activeCount() + 1];
      int count = TASKS.enumerate(threads);
      for (Thread thread : Arrays.copyOf(threads, count)) {
        boolean exits =
            Arrays.stream(thread.getStackTrace())
                .anyMatch(
                    at ->
                        at.getClassName().equals(Runtime.class.getName())
                            && at.getMethodName().equals("exit"));
        if (exits) { // not to the log, which may be closed
          System.err.println(
              "The process ends because a task has called System.exit, in the thread "
                  + thread.getName()
                  + ". On a cluster that fails only the task. Set sluice.local.isolation=slot"
                  + " to have the same here.");
        }
      }
    }
  }
}
