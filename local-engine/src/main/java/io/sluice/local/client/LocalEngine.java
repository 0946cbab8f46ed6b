package io.sluice.local.client;

import io.sluice.local.job.JobTable;
import io.sluice.local.job.JobTable.JobView;
import io.sluice.local.job.LocalJob;
import io.sluice.local.job.RecentJobFiles;
import io.sluice.local.staging.ProcessDirectories;
import io.sluice.local.staging.StagedPaths;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ipc.ProtocolSignature;
import org.apache.hadoop.mapreduce.Cluster.JobTrackerStatus;
import org.apache.hadoop.mapreduce.ClusterMetrics;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.QueueAclsInfo;
import org.apache.hadoop.mapreduce.QueueInfo;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskTrackerInfo;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.security.token.delegation.DelegationTokenIdentifier;
import org.apache.hadoop.mapreduce.server.jobtracker.JTConfig;
import org.apache.hadoop.mapreduce.v2.LogParams;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobHistoryUtils;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.security.token.Token;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hadoop's client submits jobs to this class, which runs them in the client's process.
 *
 * <p>It differs from stock's {@code LocalJobRunner}: tasks run in parallel, failed tasks are tried
 * again, and clients see reports of tasks. Map outputs are not written to files, and the store
 * stays for the next job.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException} for a job whose files
 * cannot be read.
 */
final class LocalEngine implements ClientProtocol {
  private static final Logger LOG = LoggerFactory.getLogger(LocalEngine.class);
  private static final int JOBS_WITH_TASKS = 20;
  private static final int ENDED_JOBS = 1_000;

  /** The jobs of all engines of this process, because clients may ask any engine for a job. */
  private static final JobTable JOBS = new JobTable(JOBS_WITH_TASKS, ENDED_JOBS);

  private static final RecentJobFiles JOB_FILES = new RecentJobFiles(JOBS_WITH_TASKS);

  private static final AtomicInteger LAST_JOB = new AtomicInteger();

  private static final int PIDS = 100_000;

  /** A number that fits a long, because history tools parse it as one. */
  private static final String IDENTIFIER =
      Long.toString(System.currentTimeMillis() * PIDS + ProcessHandle.current().pid() % PIDS);

  private static final String QUEUE = "default";
  private static final int POLL_MS = 10;
  private static final String DEFAULTS = "mapred-default.xml";

  private final Configuration conf;
  private final boolean isForSubmission;
  private final FileSystem files;
  private volatile boolean isSubmitted;

  /**
   * An engine for one client.
   *
   * @param conf for a submission the job's own settings, which are changed; else the user's, which
   *     are not changed
   */
  LocalEngine(Configuration conf) throws IOException {
    this.conf = conf;
    this.isForSubmission = isMadeBySubmission();
    this.files = FileSystem.getLocal(conf);
  }

  private static boolean isMadeBySubmission() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames.anyMatch(
                    frame ->
                        frame.getMethodName().equals("connect")
                            && frame.getClassName().equals(Job.class.getName())));
  }

  /**
   * Sets a short poll interval unless the user has set one, so that the client sees the job's end
   * soon.
   */
  private void pollOften(String key) {
    String[] sources = conf.getPropertySources(key);
    if (sources == null || sources.length == 0 || sources[sources.length - 1].equals(DEFAULTS)) {
      conf.setInt(key, POLL_MS);
    }
  }

  private static JobView job(JobID id) throws IOException {
    JobView job = JOBS.find(id);
    if (job == null) {
      throw new IOException(
          id + " is not known in this process; jobs that ended long ago are forgotten");
    }
    return job;
  }

  private Path path(String name) {
    return files.makeQualified(new Path(conf.get("hadoop.tmp.dir"), name));
  }

  /** The name by which a submission writes to a path, or by which others see it. */
  private String name(Path path) {
    return (isForSubmission && !isSubmitted ? StagedPaths.staged(path, conf) : path).toString();
  }

  @Override
  public JobID getNewJobID() {
    JobID id = new org.apache.hadoop.mapred.JobID(IDENTIFIER, LAST_JOB.incrementAndGet());
    if (StagedPaths.isStaged(getSystemDir())) {
      StagedPaths.begin(id, conf);
    }
    return id;
  }

  @Override
  public JobStatus submitJob(JobID id, String submitDirectory, Credentials credentials)
      throws IOException {
    LocalJob job =
        new LocalJob(
            org.apache.hadoop.mapred.JobID.downgrade(id),
            new Path(StagedPaths.plain(submitDirectory)),
            credentials,
            JOB_FILES);
    JOBS.add(job);
    try {
      job.start();
    } catch (Error e) { // no thread could be started
      JOBS.forget(id);
      throw e;
    }
    if (isForSubmission) { // the job's settings are written already
      StagedPaths.end(id, conf);
      pollOften(Job.COMPLETION_POLL_INTERVAL_KEY);
      pollOften(Job.PROGRESS_MONITOR_POLL_INTERVAL_KEY);
      isSubmitted = true;
    }
    return job.status();
  }

  @Override
  public JobStatus getJobStatus(JobID id) {
    JobView job = JOBS.find(id);
    return job == null ? null : job.status();
  }

  @Override
  public Counters getJobCounters(JobID id) throws IOException {
    return new Counters(job(id).counters());
  }

  @Override
  public TaskReport[] getTaskReports(JobID id, TaskType type) throws IOException {
    return job(id).reports(type);
  }

  @Override
  public TaskCompletionEvent[] getTaskCompletionEvents(JobID id, int from, int most)
      throws IOException {
    return job(id).events(from, most);
  }

  @Override
  public String[] getTaskDiagnostics(TaskAttemptID attempt) throws IOException {
    return job(attempt.getJobID())
        .diagnostics(org.apache.hadoop.mapred.TaskAttemptID.downgrade(attempt));
  }

  @Override
  public void killJob(JobID id) throws IOException {
    job(id);
    LocalJob running = JOBS.running(id);
    if (running != null) {
      running.kill();
    }
  }

  @Override
  public boolean killTask(TaskAttemptID attempt, boolean shouldFail) throws IOException {
    job(attempt.getJobID());
    LocalJob running = JOBS.running(attempt.getJobID());
    return running != null
        && running.kill(org.apache.hadoop.mapred.TaskAttemptID.downgrade(attempt), shouldFail);
  }

  @Override
  public void setJobPriority(JobID id, String priority) throws IOException {
    job(id);
    LocalJob running = JOBS.running(id);
    if (running != null) {
      running.setPriority(priority(priority));
    }
  }

  /** Parses a name, or a number as newer clients send it. */
  private static JobPriority priority(String text) {
    boolean isNumber = text.chars().allMatch(Character::isDigit);
    return isNumber
        ? TypeConverter.fromYarnApplicationPriority(Integer.parseInt(text))
        : JobPriority.valueOf(text);
  }

  @Override
  public JobStatus[] getAllJobs() {
    return JOBS.all().stream().map(JobView::status).toArray(JobStatus[]::new);
  }

  @Override
  public ClusterMetrics getClusterMetrics() {
    return new ClusterMetrics(0, 0, 0, 0, 0, 0, 1, 1, LAST_JOB.get(), 1, 0, 0);
  }

  @Override
  public JobTrackerStatus getJobTrackerStatus() {
    return JobTrackerStatus.RUNNING;
  }

  @Override
  public long getTaskTrackerExpiryInterval() {
    return 0;
  }

  @Override
  public AccessControlList getQueueAdmins(String queueName) {
    return new AccessControlList(" ");
  }

  @Override
  public String getFilesystemName() {
    return files.getUri().toString();
  }

  @Override
  public TaskTrackerInfo[] getActiveTrackers() {
    return new TaskTrackerInfo[0];
  }

  @Override
  public TaskTrackerInfo[] getBlacklistedTrackers() {
    return new TaskTrackerInfo[0];
  }

  /** Clients write a job's files with the file system of this directory. */
  @Override
  public String getSystemDir() {
    return name(path("mapred/system"));
  }

  @Override
  public String getStagingAreaDir() throws IOException {
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    return name(files.makeQualified(new Path(stagingRoot() + "/" + user + "/.staging")));
  }

  /** The configured directory if it is local; the site file of a cluster names one of HDFS. */
  private java.nio.file.Path stagingRoot() throws IOException {
    String configured = conf.getTrimmed(JTConfig.JT_STAGING_AREA_ROOT);
    if (configured != null) {
      String scheme = new Path(configured).toUri().getScheme();
      try {
        if (scheme == null || scheme.equals("file")) {
          return ProcessDirectories.in(configured, JTConfig.JT_STAGING_AREA_ROOT);
        }
      } catch (IOException e) {
        LOG.warn(
            "{}={} cannot be used; using hadoop.tmp.dir",
            JTConfig.JT_STAGING_AREA_ROOT,
            configured,
            e);
      }
    }
    return ProcessDirectories.in(path("mapred/staging").toString(), "hadoop.tmp.dir");
  }

  @Override
  public String getJobHistoryDir() {
    return JobHistoryUtils.getConfiguredHistoryServerDoneDirPrefix(conf);
  }

  private static QueueInfo queue() {
    return new QueueInfo(QUEUE, "");
  }

  @Override
  public QueueInfo[] getQueues() {
    return new QueueInfo[] {queue()};
  }

  @Override
  public QueueInfo getQueue(String queueName) {
    return QUEUE.equals(queueName) ? queue() : null;
  }

  @Override
  public QueueAclsInfo[] getQueueAclsForCurrentUser() {
    return new QueueAclsInfo[0];
  }

  @Override
  public QueueInfo[] getRootQueues() {
    return getQueues();
  }

  @Override
  public QueueInfo[] getChildQueues(String queueName) {
    return new QueueInfo[0];
  }

  @Override
  public Token<DelegationTokenIdentifier> getDelegationToken(Text renewer) {
    return null;
  }

  @Override
  public long renewDelegationToken(Token<DelegationTokenIdentifier> token) {
    return 0;
  }

  @Override
  public void cancelDelegationToken(Token<DelegationTokenIdentifier> token) {
    // There is none.
  }

  @Override
  public LogParams getLogFileParams(JobID id, TaskAttemptID attempt) throws IOException {
    throw new IOException(
        id + " runs in this process: its tasks write to the log and the output of the process");
  }

  @Override
  public long getProtocolVersion(String protocol, long clientVersion) {
    return ClientProtocol.versionID;
  }

  @Override
  public ProtocolSignature getProtocolSignature(
      String protocol, long clientVersion, int clientMethodsHash) throws IOException {
    return ProtocolSignature.getProtocolSignature(this, protocol, clientVersion, clientMethodsHash);
  }
}
