package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.history.JobHistoryWriter;
import io.sluice.rdma.testing.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.jobhistory.HistoryViewer;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.JobInfo;
import org.apache.hadoop.mapreduce.jobhistory.JobHistoryParser.TaskInfo;
import org.apache.hadoop.mapreduce.v2.jobhistory.FileNameIndexUtils;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobIndexInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stock's tools read of jobs that have ended. */
@Timeout(300)
class JobHistoryTest {
  private static final CountDownLatch ASKED = new CountDownLatch(1);
  private static final String OURS = "sluice";
  private static final int FILES = 3;
  private static final int LINES = 200;

  @TempDir private Path directory;
  private Jobs jobs;
  private Path done;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), FILES, LINES);
    Jobs.FAILURES_LEFT.set(0);
    done = directory.resolve("history/intermediate");
    jobs.conf().set("mapreduce.jobhistory.intermediate-done-dir", done.toUri().toString());
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> found = Files.walk(done)) {
      return found
          .filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .sorted()
          .toList();
    }
  }

  private Path only(String suffix) throws IOException {
    List<Path> found = files().stream().filter(file -> file.toString().endsWith(suffix)).toList();
    assertEquals(1, found.size(), found::toString);
    return found.get(0);
  }

  private JobInfo parse() throws IOException {
    JobHistoryParser parser =
        new JobHistoryParser(FileSystem.getLocal(jobs.conf()), only(".jhist").toString());
    JobInfo info = parser.parse();
    if (parser.getParseException() != null) {
      throw parser.getParseException();
    }
    return info;
  }

  private void assertTasks(Job job, JobInfo info, TaskType type) throws Exception {
    for (TaskReport report : job.getTaskReports(type)) {
      TaskInfo task = info.getAllTasks().get(TaskID.forName(report.getTaskId()));
      assertEquals(type, task.getTaskType());
      assertEquals("SUCCEEDED", task.getTaskStatus());
      assertEquals(report.getTaskCounters(), task.getCounters());
      assertEquals(report.getStartTime(), task.getStartTime());
      assertEquals(report.getFinishTime(), task.getFinishTime());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "binary"})
  void aJobAndItsTasksAreReadAsTheyWere(String format) throws Exception {
    jobs.conf().set("mapreduce.jobhistory.jhist.format", format);
    Job job = jobs.wordCount(OURS, 2, true);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    JobInfo info = parse();
    assertEquals(job.getJobID(), info.getJobId());
    assertEquals("word count", info.getJobname());
    assertEquals("SUCCEEDED", info.getJobStatus());
    assertEquals(job.getStatus().getUsername(), info.getUsername());
    assertEquals(job.getStatus().getStartTime(), info.getSubmitTime());
    assertEquals(FILES, info.getSucceededMaps());
    assertEquals(2, info.getSucceededReduces());
    assertEquals(job.getCounters(), info.getTotalCounters());
    assertEquals(FILES + 2, info.getAllTasks().size());
    assertTasks(job, info, TaskType.MAP);
    assertTasks(job, info, TaskType.REDUCE);
    for (TaskInfo task : info.getAllTasks().values()) {
      task.getAllTaskAttempts()
          .values()
          .forEach(
              attempt -> {
                assertTrue(attempt.getStartTime() <= attempt.getFinishTime());
                if (attempt.getTaskType() == TaskType.REDUCE) {
                  assertTrue(attempt.getShuffleFinishTime() <= attempt.getSortFinishTime());
                  assertTrue(attempt.getSortFinishTime() <= attempt.getFinishTime());
                }
              });
    }
  }

  @Test
  void theServerFindsTheFilesByTheirNames() throws Exception {
    Job job = jobs.wordCount(OURS, 1, false);
    job.getConfiguration().set("my.password", "not-to-be-seen");
    job.getConfiguration().set("mapreduce.job.redacted-properties", "my.password");
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    Path events = only(".jhist");
    JobIndexInfo index = FileNameIndexUtils.getIndexInfo(events.getFileName().toString());
    assertEquals(job.getJobID(), TypeConverter.fromYarn(index.getJobId()));
    assertEquals("SUCCEEDED", index.getJobStatus());
    assertEquals("word count", index.getJobName());
    assertEquals(FILES, index.getNumMaps());
    assertEquals(1, index.getNumReduces());
    assertEquals(job.getStatus().getUsername(), events.getParent().getFileName().toString());
    assertEquals("rwxrwx---", PosixFilePermissions.toString(Files.getPosixFilePermissions(events)));
    assertEquals(
        "rwxrwx---",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(events.getParent())));
    assertFalse(Files.readString(only("_conf.xml")).contains("not-to-be-seen"));
    try (DataInputStream summary =
        new DataInputStream(Files.newInputStream(only(job.getJobID() + ".summary")))) {
      String text = summary.readUTF();
      assertTrue(text.startsWith("jobId=" + job.getJobID() + ",submitTime="), text);
      assertTrue(text.contains(",succededMaps=3,"), text);
      assertTrue(text.endsWith(",jobName=word count"), text);
    }
    assertEquals(3, files().size(), files()::toString);
  }

  @Test
  void theCommandLineShowsIt() throws Exception {
    Job job = jobs.wordCount(OURS, 1, false);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String format : List.of(HistoryViewer.HUMAN_FORMAT, HistoryViewer.JSON_FORMAT)) {
      new HistoryViewer(only(".jhist").toUri().toString(), jobs.conf(), true, format)
          .print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }
    String shown = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(shown.contains("Hadoop job: " + job.getJobID()), shown);
    assertTrue(shown.contains("Map-Reduce Framework"), shown);
  }

  @Test
  void attemptsThatFailedAreInIt() throws Exception {
    Jobs.FAILURES_LEFT.set(2);
    Job job = jobs.wordCount(OURS, 1, false);
    job.setMapperClass(Jobs.FailingWords.class);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    List<String> errors =
        parse().getAllTasks().values().stream()
            .flatMap(task -> task.getAllTaskAttempts().values().stream())
            .filter(attempt -> attempt.getTaskStatus().equals("FAILED"))
            .map(attempt -> attempt.getError())
            .toList();
    assertEquals(2, errors.size(), errors::toString);
    errors.forEach(error -> assertTrue(error.contains("on purpose"), error));
  }

  @Test
  void aJobThatFailedIsReadWithItsReason() throws Exception {
    Jobs.FAILURES_LEFT.set(Integer.MAX_VALUE);
    Job job = jobs.wordCount(OURS, 1, false);
    job.setMapperClass(Jobs.FailingWords.class);
    assertFalse(job.waitForCompletion(false));
    JobInfo info = parse();
    assertEquals("FAILED", info.getJobStatus());
    assertTrue(info.getErrorInfo().contains("on purpose"), info.getErrorInfo());
    assertTrue(info.getFailedMaps() > 0);
    Map<TaskID, TaskInfo> tasks = info.getAllTasks();
    assertTrue(
        tasks.values().stream()
            .anyMatch(
                task ->
                    "FAILED".equals(task.getTaskStatus())
                        && task.getError().contains("on purpose")));
  }

  @Test
  void aJobThatCannotHaveAHistoryGoesOn() throws Exception {
    Files.createDirectories(done.getParent());
    Files.writeString(done, "in the way");
    Job job = jobs.wordCount(OURS, 1, false);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
  }

  /** Does not answer. */
  public static class HangingFiles extends RawLocalFileSystem {
    @Override
    public URI getUri() {
      return URI.create("hanging:///");
    }

    @Override
    public boolean exists(org.apache.hadoop.fs.Path path) throws IOException {
      ASKED.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
      return false;
    }
  }

  @Test
  void aFileSystemThatHangsHoldsUpNoJob() throws Exception {
    JobConf conf = new JobConf(jobs.conf());
    conf.setClass("fs.hanging.impl", HangingFiles.class, FileSystem.class);
    conf.set("mapreduce.jobhistory.intermediate-done-dir", "hanging:///history");
    JobHistoryWriter history =
        new JobHistoryWriter(
            conf,
            new org.apache.hadoop.mapred.JobID("1", 1),
            new org.apache.hadoop.fs.Path(directory.toUri()),
            1,
            Thread::new,
            1);
    history.submitted("job.xml");
    ASKED.await();
    history.inited(1, 1);
    history.ended(
        JobStatus.State.SUCCEEDED, "", new TaskReport[0], new TaskReport[0], new Counters());
  }

  @Test
  void noneIsWrittenUnlessAsked() throws Exception {
    jobs.conf().unset("mapreduce.jobhistory.intermediate-done-dir");
    jobs.conf().set("yarn.app.mapreduce.am.staging-dir", directory.resolve("staging").toString());
    Job job = jobs.wordCount(OURS, 1, false);
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertFalse(Files.exists(directory.resolve("staging")));
  }
}
