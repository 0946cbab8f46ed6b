package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing of a job's user, credentials and file systems is left to the next job of a process. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BetweenJobsTest {
  private static final Text SECRET = new Text("database.password");
  private static final Map<String, String> SEEN = new ConcurrentHashMap<>();

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 1, 20);
    SEEN.clear();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }

  /** Tells what its task has of the process. */
  public static class Tells extends Jobs.Words {
    @Override
    protected void setup(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      FileSystem files = FileSystem.get(conf);
      byte[] secret = UserGroupInformation.getCurrentUser().getCredentials().getSecretKey(SECRET);
      if (secret != null) {
        SEEN.put("secret", new String(secret, java.nio.charset.StandardCharsets.UTF_8));
      }
      SEEN.put("working directory", files.getWorkingDirectory().toUri().getPath());
      SEEN.put("caller", CallerContext.getCurrent().getContext());
      SEEN.put("attempt of the application", conf.get(MRJobConfig.APPLICATION_ATTEMPT_ID));
      if (Files.isDirectory(Path.of(conf.get(MRJobConfig.JOB_LOCAL_DIR)))) {
        SEEN.put("job's local directory", conf.get(MRJobConfig.JOB_LOCAL_DIR));
      }
      files.setWorkingDirectory(new org.apache.hadoop.fs.Path("/of-a-task"));
    }
  }

  private Job job(String output) throws IOException {
    Job job = jobs.wordCount("sluice", 0, false);
    job.setMapperClass(Tells.class);
    org.apache.hadoop.mapreduce.lib.output.FileOutputFormat.setOutputPath(
        job, new org.apache.hadoop.fs.Path(directory.resolve(output).toUri()));
    return job;
  }

  private static void run(Job job) throws Exception {
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
  }

  @Test
  void credentialsUmaskAndWorkingDirectoryAreTheJobsOwn() throws Exception {
    Job first = job("first");
    first.getCredentials().addSecretKey(SECRET, new byte[] {'x'});
    run(first);
    assertEquals("x", SEEN.remove("secret"));
    jobs.conf().set("fs.permissions.umask-mode", "077");
    Job second = job("second");
    second.setWorkingDirectory(new org.apache.hadoop.fs.Path(directory.toUri()));
    run(second);
    assertNull(SEEN.get("secret"), "of the first job");
    assertEquals(directory.toString(), SEEN.get("working directory"));
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(
            Files.getPosixFilePermissions(directory.resolve("second/part-m-00000"))));
  }

  @Test
  void aTaskHasWhatAContainerHas() throws Exception {
    Job job = job("output");
    run(job);
    assertEquals("1", SEEN.get("attempt of the application"));
    assertTrue(SEEN.get("caller").startsWith("mr_attempt_"), SEEN.get("caller"));
    assertTrue(SEEN.get("job's local directory").contains(job.getJobID().toString()));
  }

  /** Counts those that are open. */
  public static class CountedFiles extends RawLocalFileSystem {
    static final AtomicInteger OPEN = new AtomicInteger();

    @Override
    public void initialize(URI uri, Configuration conf) throws IOException {
      super.initialize(uri, conf);
      OPEN.incrementAndGet();
    }

    @Override
    public URI getUri() {
      return URI.create("counted:///");
    }

    @Override
    public void close() throws IOException {
      super.close();
      OPEN.decrementAndGet();
    }
  }

  /** Opens a file system that its client does not have. */
  public static class OpensFiles extends Jobs.Words {
    @Override
    protected void setup(Context context) throws IOException {
      FileSystem.get(URI.create("counted:///"), context.getConfiguration());
      SEEN.put("open", CountedFiles.OPEN.toString());
    }
  }

  @Test
  void fileSystemsOfTasksAreClosedAtTheEndOfTheirJob() throws Exception {
    jobs.conf().setClass("fs.counted.impl", CountedFiles.class, FileSystem.class);
    Job job = job("output");
    job.setMapperClass(OpensFiles.class);
    run(job);
    assertNotEquals("0", SEEN.get("open"));
    assertEquals(0, CountedFiles.OPEN.get());
  }
}
