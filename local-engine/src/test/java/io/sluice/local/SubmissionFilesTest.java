package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a submission writes its files, and what programs see of them. */
@Timeout(300)
class SubmissionFilesTest {
  private static final String SCHEME = "sluice-staging";
  private static final String DIRECTORY = "mapreduce.job.dir";
  private static final FsPermission ALL = new FsPermission((short) 0777);
  private static final String STARTED = "jdk.ProcessStart";

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 2, 10);
  }

  /** The job's, as a driver hands it over. */
  private Path jar() throws IOException {
    Path jar = directory.resolve("program.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new ZipEntry("note"));
    }
    return jar;
  }

  /** Something that submits a job to an engine, and waits for its end. */
  private interface Client {
    void run(String framework) throws Exception;
  }

  private void runNew(String framework) throws Exception {
    Job job = jobs.wordCount(framework, 1, false);
    job.setJar(jar().toString());
    assertTrue(job.waitForCompletion(false));
  }

  private void runOld(String framework) throws Exception {
    JobConf conf = new JobConf(jobs.conf());
    conf.set("mapreduce.framework.name", framework);
    conf.setNumReduceTasks(0);
    FileInputFormat.setInputPaths(
        conf, new org.apache.hadoop.fs.Path(directory.resolve("input").toUri()));
    FileOutputFormat.setOutputPath(
        conf, new org.apache.hadoop.fs.Path(jobs.output(framework).toUri()));
    assertTrue(JobClient.runJob(conf).isSuccessful());
  }

  /** Commands that were run for a submission's files. */
  private List<String> commands(String framework, Client client) throws Exception {
    Path recorded = directory.resolve(framework + ".jfr");
    try (Recording recording = new Recording()) {
      recording.enable(STARTED);
      recording.start();
      client.run(framework);
      recording.stop();
      recording.dump(recorded);
    }
    return RecordingFile.readAllEvents(recorded).stream()
        .filter(event -> event.getEventType().getName().equals(STARTED))
        .map(SubmissionFilesTest::command)
        .filter(command -> command.contains("/.staging"))
        .toList();
  }

  private static String command(RecordedEvent event) {
    return event.getString("command");
  }

  private void assertStartsNone(Client client) throws Exception {
    assertEquals(NativeIO.isAvailable(), commands("local", client).isEmpty());
    assertEquals(List.of(), commands("sluice", client));
  }

  @Test
  void aSubmissionStartsNoProcess() throws Exception {
    assertStartsNone(this::runNew);
  }

  @Test
  void aSubmissionOfTheOldApiStartsNoProcess() throws Exception {
    assertStartsNone(this::runOld);
  }

  /** Counts settings that name files as the submission does. */
  public static class NamesMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void setup(Context context) {
      context.getCounter("names", "staged").increment(named(context.getConfiguration()).size());
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context) {
      context.getCounter("names", "lines").increment(1);
    }
  }

  /** Looks at the settings while splits are made, in the client. */
  public static class Input extends TextInputFormat {
    private static Set<String> staged;

    @Override
    public List<InputSplit> getSplits(JobContext job) throws IOException {
      staged = named(job.getConfiguration()).keySet();
      return super.getSplits(job);
    }
  }

  private static Map<String, String> named(Configuration conf) {
    Map<String, String> named = new TreeMap<>();
    for (Map.Entry<String, String> each : conf) {
      if ((each.getKey() + each.getValue()).toLowerCase(Locale.ROOT).contains("staging:")) {
        named.put(each.getKey(), each.getValue());
      }
    }
    return named;
  }

  @Test
  void programsSeeFilesByTheirOwnNames() throws Exception {
    Job job = jobs.wordCount("sluice", 0, false);
    job.setMapperClass(NamesMapper.class);
    job.setInputFormatClass(Input.class);
    job.setJar(jar().toString());
    org.apache.hadoop.fs.Path elsewhere = new org.apache.hadoop.fs.Path("sluice:///staged/note");
    FileSystem.create(elsewhere.getFileSystem(jobs.conf()), elsewhere, ALL).close();
    job.getConfiguration().set("tmpfiles", elsewhere.toString());
    assertTrue(job.waitForCompletion(false));
    assertEquals(Set.of(DIRECTORY), Input.staged);
    assertEquals(1, job.getCacheFiles().length);
    assertEquals(0, job.getCounters().findCounter("names", "staged").getValue());
    assertEquals(20, job.getCounters().findCounter("names", "lines").getValue());
    assertEquals(Map.of(), named(job.getConfiguration()));
    assertTrue(job.getConfiguration().get(DIRECTORY).startsWith("file:/"));
    assertTrue(job.getJobFile().startsWith("file:/"), job.getJobFile());
    assertFalse(job.getCounters().toString().toLowerCase(Locale.ROOT).contains(SCHEME));
    assertNull(FileSystem.getGlobalStorageStatistics().get(SCHEME));
  }

  /** Fails while splits are made, as where there is no input. */
  public static class Failing extends TextInputFormat {
    private static final Throwable[] HOW = {
      new IOException("expected"), new IllegalStateException("expected"), new Error("expected")
    };

    @Override
    public List<InputSplit> getSplits(JobContext job) throws IOException {
      int how = job.getConfiguration().getInt("user.how", -1);
      if (how >= 0 && HOW[how] instanceof IOException e) {
        throw e;
      } else if (how >= 0 && HOW[how] instanceof RuntimeException e) {
        throw e;
      } else if (how >= 0) {
        throw (Error) HOW[how];
      }
      return super.getSplits(job);
    }
  }

  private void assertChangesNothing(Job job, Class<? extends Throwable> failure, String before) {
    assertThrows(failure, job::submit);
    assertEquals(Map.of(), named(job.getConfiguration()));
    assertEquals(before, job.getConfiguration().get(DIRECTORY));
  }

  @Test
  void aSubmissionThatFailsLeavesTheClientsSettings() throws Exception {
    Job job = jobs.wordCount("sluice", 0, false);
    job.setInputFormatClass(Failing.class);
    for (int i = 0; i < Failing.HOW.length; i++) {
      job.getConfiguration().setInt("user.how", i);
      assertChangesNothing(job, Failing.HOW[i].getClass(), null);
    }
    job.getConfiguration().set(DIRECTORY, "file:/before");
    assertChangesNothing(job, Error.class, "file:/before");
    job.getConfiguration().unset("user.how");
    job.getConfiguration().setInt("mapreduce.task.io.sort.factor", 1); // the engine refuses it
    assertChangesNothing(job, IOException.class, "file:/before");
    job.getConfiguration().unset("mapreduce.task.io.sort.factor");
    assertTrue(job.waitForCompletion(false));
    assertTrue(job.getConfiguration().get(DIRECTORY).startsWith("file:/"));
    assertNotEquals("file:/before", job.getConfiguration().get(DIRECTORY));
  }

  @Test
  void aSubmissionWhoseFilesAreMissingLeavesTheClientsSettings() throws Exception {
    Job job = jobs.wordCount("sluice", 0, false);
    job.getConfiguration().set("tmpfiles", directory.resolve("missing").toUri().toString());
    assertChangesNothing(job, IOException.class, null);
  }

  /** Whoever has chosen a class for local files has it for all of them. */
  @Test
  void aUsersOwnLocalFileSystemIsTheSubmissions() throws Exception {
    jobs.conf().set("fs.file.impl", OwnFiles.class.getName());
    jobs.conf().setBoolean("fs.file.impl.disable.cache", true);
    Job job = jobs.wordCount("sluice", 0, false);
    assertTrue(job.waitForCompletion(false));
    assertTrue(OwnFiles.splits > 0);
  }

  /** A user's. */
  public static class OwnFiles extends org.apache.hadoop.fs.LocalFileSystem {
    private static int splits;

    @Override
    public boolean setReplication(org.apache.hadoop.fs.Path path, short replication)
        throws IOException {
      splits += path.getName().equals("job.split") ? 1 : 0;
      return super.setReplication(path, replication);
    }
  }
}
