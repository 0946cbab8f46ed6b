package io.sluice.local.client;

import io.sluice.local.job.LocalJob;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.QueueAclsInfo;
import org.apache.hadoop.mapreduce.QueueInfo;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskTrackerInfo;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.security.token.delegation.DelegationTokenIdentifier;
import org.apache.hadoop.mapreduce.v2.LogParams;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.security.token.Token;

/**
 * What Hadoop's client submits jobs to that run in its own process.
 *
 * <p>It differs from stock's {@code LocalJobRunner} in that tasks run beside one another, are tried
 * again, and are reported; in that no map output is written to files; and in that it keeps its
 * store for the next job.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException} of a job that cannot be
 * read.
 */
final class LocalEngine implements ClientProtocol {
  /**
   * Of all engines of this process: clients ask any of them for a job. In the order of their
   * submission, and guarded by itself.
   */
  private static final Map<JobID, LocalJob> JOBS = new LinkedHashMap<>();

  /** Jobs that have ended and can be asked for by who did not submit them. */
  private static final int MOST_ENDED = 100;

  private static final AtomicInteger LAST_JOB = new AtomicInteger();

  /** A number, because history tools read it as one. */
  private static final String IDENTIFIER =
      Long.toString(System.currentTimeMillis()) + ProcessHandle.current().pid();

  private static final String QUEUE = "default";
  private static final int POLL_MS = 20;
  private static final String DEFAULTS = "mapred-default.xml";

  private final Configuration conf;
  private final FileSystem files;

  /** Here however many others end: the client that submitted them has this engine for itself. */
  private final Map<JobID, LocalJob> submitted = new ConcurrentHashMap<>();

  LocalEngine(Configuration conf) throws IOException {
    this.conf = conf;
    this.files = FileSystem.getLocal(conf);
    pollOften(Job.COMPLETION_POLL_INTERVAL_KEY);
    pollOften(Job.PROGRESS_MONITOR_POLL_INTERVAL_KEY);
  }

  /** Unless the user has said how often: the job is over when it is over. */
  private void pollOften(String key) {
    String[] sources = conf.getPropertySources(key);
    if (sources == null || sources.length == 0 || sources[sources.length - 1].equals(DEFAULTS)) {
      conf.setInt(key, POLL_MS);
    }
  }

  private LocalJob find(JobID id) {
    LocalJob job = submitted.get(id);
    if (job == null) {
      synchronized (JOBS) {
        job = JOBS.get(id);
      }
    }
    return job;
  }

  private LocalJob job(JobID id) throws IOException {
    LocalJob job = find(id);
    if (job == null) {
      throw new IOException(
          id + " does not run in this process, nor is it of the last ones that did");
    }
    return job;
  }

  private void add(JobID id, LocalJob job) {
    submitted.put(id, job);
    synchronized (JOBS) {
      List<JobID> ended =
          JOBS.entrySet().stream()
              .filter(each -> each.getValue().status().isJobComplete())
              .map(Map.Entry::getKey)
              .toList();
      JOBS.keySet().removeAll(ended.subList(0, Math.max(0, ended.size() - MOST_ENDED)));
      JOBS.put(id, job);
    }
  }

  private static List<LocalJob> jobs() {
    synchronized (JOBS) {
      return List.copyOf(JOBS.values());
    }
  }

  private String path(String name) {
    return files.makeQualified(new Path(conf.get("hadoop.tmp.dir"), name)).toString();
  }

  @Override
  public JobID getNewJobID() {
    return new org.apache.hadoop.mapred.JobID(IDENTIFIER, LAST_JOB.incrementAndGet());
  }

  @Override
  public JobStatus submitJob(JobID id, String submitDirectory, Credentials credentials)
      throws IOException {
    LocalJob job =
        new LocalJob(
            org.apache.hadoop.mapred.JobID.downgrade(id), new Path(submitDirectory), credentials);
    add(id, job);
    job.start();
    return job.status();
  }

  @Override
  public JobStatus getJobStatus(JobID id) {
    LocalJob job = find(id);
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
    job(id).kill();
  }

  @Override
  public boolean killTask(TaskAttemptID attempt, boolean shouldFail) throws IOException {
    return job(attempt.getJobID())
        .kill(org.apache.hadoop.mapred.TaskAttemptID.downgrade(attempt), shouldFail);
  }

  @Override
  public void setJobPriority(JobID id, String priority) {
    throw new UnsupportedOperationException("jobs of this process have no priorities");
  }

  @Override
  public JobStatus[] getAllJobs() {
    return jobs().stream().map(LocalJob::status).toArray(JobStatus[]::new);
  }

  @Override
  public ClusterMetrics getClusterMetrics() {
    return new ClusterMetrics(0, 0, 0, 0, 0, 0, 1, 1, jobs().size(), 1, 0, 0);
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

  @Override
  public String getSystemDir() {
    return path("mapred/system");
  }

  @Override
  public String getStagingAreaDir() throws IOException {
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    return path("mapred/staging/" + user + IDENTIFIER + "/.staging");
  }

  @Override
  public String getJobHistoryDir() {
    return null;
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
  public LogParams getLogFileParams(JobID id, TaskAttemptID attempt) {
    throw new UnsupportedOperationException("tasks of this process log where it does");
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
