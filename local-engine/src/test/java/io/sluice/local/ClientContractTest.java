package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.sluice.rdma.testing.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.tools.CLI;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients may ask, and tell, of a job in their own process. */
@Timeout(300)
@Tag("slow")
class ClientContractTest {
  private static final CountDownLatch NEVER = new CountDownLatch(1);
  private static final String OURS = "sluice";
  private static final int FILES = 3;
  private static final int MORE_THAN_ARE_KEPT = 25;
  private static volatile CountDownLatch held;

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), FILES, 50);
    jobs.conf().set("mapreduce.framework.name", OURS);
    held = new CountDownLatch(1);
  }

  /** The first attempt of the first map does not end. */
  public static class FirstHangs extends Jobs.Words {
    @Override
    protected void cleanup(Context context) throws InterruptedException {
      TaskAttemptID attempt = context.getTaskAttemptID();
      if (attempt.getId() == 0 && attempt.getTaskID().getId() == 0) {
        held.countDown();
        NEVER.await();
      }
    }
  }

  private Job hold() throws Exception {
    Job job = jobs.wordCount(OURS, 2, false);
    job.setMapperClass(FirstHangs.class);
    job.setMaxMapAttempts(1);
    job.submit();
    held.await();
    return job;
  }

  private static TaskAttemptID first(Job job) {
    return new TaskAttemptID(new TaskID(job.getJobID(), TaskType.MAP, 0), 0);
  }

  private static List<TaskCompletionEvent.Status> ends(Job job, TaskAttemptID attempt)
      throws Exception {
    return Arrays.stream(job.getTaskCompletionEvents(0, 100))
        .filter(event -> event.getTaskAttemptId().toString().equals(attempt.toString()))
        .map(TaskCompletionEvent::getStatus)
        .toList();
  }

  @Test
  void aKilledAttemptIsTriedAgainAndCostsNoOther() throws Exception {
    Job job = hold();
    job.killTask(first(job));
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertEquals(List.of(TaskCompletionEvent.Status.KILLED), ends(job, first(job)));
    assertEquals(FILES + 2 + 1, job.getTaskCompletionEvents(0, 100).length);
    String why = String.join(" ", job.getTaskDiagnostics(first(job)));
    assertTrue(why.contains("the user killed it"), why);
  }

  @Test
  void anAttemptThatIsFailedByTheUserCountsAsOne() throws Exception {
    Job job = hold();
    job.failTask(first(job));
    assertFalse(job.waitForCompletion(false));
    assertEquals(List.of(TaskCompletionEvent.Status.FAILED), ends(job, first(job)));
    assertTrue(
        job.getStatus().getFailureInfo().contains("the user failed it"),
        job.getStatus().getFailureInfo());
  }

  private String cli(String... arguments) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      ToolRunner.run(jobs.conf(), new CLI(), arguments);
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static void assertContains(String expected, String text) {
    assertTrue(text.contains(expected), text);
  }

  @Test
  void theCommandLineOfTheSameProcess() throws Exception {
    Job job = hold();
    String id = job.getJobID().toString();
    String attempt = first(job).toString();
    assertContains(id, cli("-list"));
    assertContains("RUNNING", cli("-status", id));
    cli("-set-priority", id, "HIGH");
    assertEquals(
        JobPriority.HIGH,
        Job.getInstance(new Cluster(jobs.conf()), job.getStatus(), jobs.conf()).getPriority());
    assertContains(attempt, cli("-list-attempt-ids", id, "MAP", "running"));
    assertContains(
        "its tasks write to the log and the output of the process", cli("-logs", id, attempt));
    assertContains("Killed task " + attempt, cli("-kill-task", attempt));
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertContains("Could not kill task", cli("-kill-task", attempt));
    assertContains("SUCCEEDED", cli("-status", id));
    assertContains(id, cli("-list", "all"));
    assertContains("KILLED " + attempt, cli("-events", id, "0", "100"));
    String group = TaskCounter.class.getName();
    assertEquals(
        job.getCounters().findCounter(TaskCounter.MAP_INPUT_RECORDS).getValue(),
        Long.parseLong(cli("-counter", id, group, "MAP_INPUT_RECORDS").trim()));
    assertContains("Could not find job", cli("-status", "job_1_0001"));
  }

  @Test
  void aStatusSaysWhatTheJobWasSubmittedWith() throws Exception {
    jobs.conf().set("mapreduce.job.queuename", "default");
    jobs.conf().set("mapreduce.cluster.acls.enabled", "true");
    jobs.conf().set("mapreduce.job.acl-view-job", "someone");
    Job job = jobs.wordCount(OURS, 1, false);
    job.setPriority(JobPriority.LOW);
    assertTrue(job.waitForCompletion(false));
    JobStatus status = job.getStatus();
    assertEquals("word count", status.getJobName());
    assertEquals("default", status.getQueue());
    assertEquals(JobPriority.LOW, status.getPriority());
    assertContains("someone", status.getJobACLs().toString());
    assertTrue(status.getStartTime() <= status.getFinishTime());
    assertTrue(status.isJobComplete());
    assertEquals(1f, status.getMapProgress());
    assertEquals(1f, status.getReduceProgress());
  }

  @Test
  void theOlderClient() throws Exception {
    JobConf conf = new JobConf(jobs.wordCount(OURS, 1, false).getConfiguration());
    conf.setUseNewMapper(true);
    conf.setUseNewReducer(true);
    JobClient client = new JobClient(conf);
    RunningJob job = client.submitJob(conf);
    job.waitForCompletion();
    assertTrue(job.isSuccessful(), job.getFailureInfo());
    assertEquals(FILES, client.getMapTaskReports(job.getID()).length);
    assertEquals(1, client.getReduceTaskReports(job.getID()).length);
    assertEquals(0, client.getSetupTaskReports(job.getID()).length);
    assertEquals(job.getID(), client.getJob(job.getID()).getID());
    assertTrue(
        Arrays.stream(client.getAllJobs()).anyMatch(each -> each.getJobID().equals(job.getID())));
    assertEquals(1, client.getClusterStatus().getTaskTrackers());
    assertEquals("default", client.getQueues()[0].getQueueName());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoeverIsToBeToldOfTheEndIsToldBeforeTheClient(boolean succeeds) throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          told.add(exchange.getRequestURI().getQuery());
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    try {
      jobs.conf()
          .set(
              "mapreduce.job.end-notification.url",
              "http://127.0.0.1:" + server.getAddress().getPort() + "/?$jobId=$jobStatus");
      Job job = jobs.wordCount(OURS, 1, false);
      Jobs.FAILURES_LEFT.set(succeeds ? 0 : Integer.MAX_VALUE);
      job.setMapperClass(Jobs.FailingWords.class);
      assertEquals(succeeds, job.waitForCompletion(false));
      assertEquals(List.of(job.getJobID() + (succeeds ? "=SUCCEEDED" : "=FAILED")), told);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void oldJobsKeepTheirStatusAndCountersOnly() throws Exception {
    Job first = null;
    Counters counters = null;
    for (int i = 0; i < MORE_THAN_ARE_KEPT; i++) {
      FileSystem.getLocal(jobs.conf())
          .delete(new org.apache.hadoop.fs.Path(jobs.output(OURS).toUri()), true);
      Job job = jobs.wordCount(OURS, 1, false);
      assertTrue(job.waitForCompletion(false));
      assertEquals(FILES, job.getTaskReports(TaskType.MAP).length);
      assertEquals(settings(job), settings(new Cluster(jobs.conf()).getJob(job.getJobID())));
      first = first == null ? job : first;
      counters = counters == null ? job.getCounters() : counters;
    }
    Job asked = new Cluster(jobs.conf()).getJob(first.getJobID());
    assertEquals(JobStatus.State.SUCCEEDED, asked.getStatus().getState());
    assertEquals(counters, asked.getCounters());
    assertEquals(0, asked.getTaskReports(TaskType.MAP).length);
    assertArrayEquals(new TaskCompletionEvent[0], asked.getTaskCompletionEvents(0, 100));
    assertNotEquals(settings(first), settings(asked), "which are gone");
  }

  /** Some that only the job has. */
  private static List<String> settings(Job job) {
    return Stream.of(
            MRJobConfig.JOB_NAME, MRJobConfig.MAP_CLASS_ATTR, MRJobConfig.MAP_OUTPUT_KEY_CLASS)
        .map(job.getConfiguration()::get)
        .toList();
  }
}
