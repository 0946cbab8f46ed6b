package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.GenericOptionsParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What jobs find of their distributed cache, beside stock's LocalJobRunner. */
@Timeout(300)
@Tag("slow")
class DistributedCacheTest {
  private static final String STOCK = "local";
  private static final String OURS = "sluice";
  private static final Path WORKING = Path.of("").toAbsolutePath();

  @TempDir private Path directory;
  private final Configuration conf = new Configuration();
  private List<Path> before;

  @BeforeEach
  void write() throws IOException {
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.setInt("sluice.local.memory-mb", 256);
    conf.set("mapreduce.framework.name", OURS);
    CacheJobs.write(directory.resolve("input/one"), "a line\n");
    CacheJobs.write(directory.resolve("data.txt"), "some data");
    CacheJobs.zip(directory.resolve("tree.zip"), Map.of("inside.txt", CacheJobs.bytes("a tree")));
    CacheJobs.zip(
        directory.resolve("lib.jar"), Map.of("in-the-jar.txt", CacheJobs.bytes("a library")));
    CacheJobs.begun = new CountDownLatch(1);
    CacheJobs.mayEnd = new CountDownLatch(0);
    before = working();
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    assertEquals(before, working());
    try (Stream<Path> left = Files.walk(directory.resolve("tmp"))) {
      assertEquals(
          List.of(),
          left.filter(file -> !Files.isDirectory(file))
              .filter(file -> !file.toString().contains("/sluice/"))
              .filter(file -> !Leftovers.isLock(file) && !Leftovers.isKept(file))
              .toList());
    }
  }

  private static List<Path> working() throws IOException {
    try (Stream<Path> files = Files.list(WORKING)) {
      return files.sorted().toList();
    }
  }

  private URI uri(String name, String link) {
    return URI.create(directory.resolve(name).toUri() + "#" + link);
  }

  private Path output(String name) {
    return directory.resolve("output-" + name);
  }

  private Job job(Configuration settings, String name) throws IOException {
    Job job = Job.getInstance(settings, name);
    job.setMapperClass(CacheJobs.Finds.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(
        job, new org.apache.hadoop.fs.Path(directory.resolve("input").toUri()));
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(output(name).toUri()));
    return job;
  }

  private Job cached(String framework, String data) throws IOException {
    Configuration own = new Configuration(conf);
    own.set(MRConfig.FRAMEWORK_NAME, framework);
    Job job = job(own, framework + data);
    job.addCacheFile(uri(data, CacheJobs.LINK));
    job.addCacheArchive(uri("tree.zip", CacheJobs.TREE));
    job.addFileToClassPath(new org.apache.hadoop.fs.Path(directory.resolve("lib.jar").toUri()));
    return job;
  }

  private List<String> found(Job job) throws Exception {
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    return Jobs.contents(output(job.getJobName()));
  }

  @Test
  void aTaskFindsAllThatItFindsWithStock() throws Exception {
    List<String> stock = found(cached(STOCK, "data.txt"));
    assertTrue(
        stock.toString().contains("some data, a tree; class path: none, a library"),
        stock::toString);
    // The settings of stock's tasks load classes with the client's loader, those of a cluster not.
    assertEquals(
        stock.toString().replace("class path: none", "class path: a library"),
        found(cached(OURS, "data.txt")).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {STOCK, OURS})
  void theOldInterfaceFindsIt(String framework) throws Exception {
    JobConf job = new JobConf(cached(framework, "data.txt").getConfiguration());
    job.unset(MRJobConfig.MAP_CLASS_ATTR);
    job.setMapperClass(CacheJobs.OldFinds.class);
    job.setOutputFormat(org.apache.hadoop.mapred.TextOutputFormat.class);
    RunningJob running = JobClient.runJob(job);
    assertTrue(running.isSuccessful(), running.getFailureInfo());
    String found = Jobs.contents(output(framework + "data.txt")).toString();
    assertTrue(found.contains("data.txt=some data lib.jar=there"), found);
    assertTrue(found.contains("tree.zip=inside.txt"), found);
    assertTrue(found.contains("by name: some data, a tree"), found);
  }

  @Test
  void optionsOfTheCommandLine() throws Exception {
    String file = directory.resolve("data.txt").toUri() + "#" + CacheJobs.LINK;
    String tree = directory.resolve("tree.zip").toUri() + "#" + CacheJobs.TREE;
    String jar = directory.resolve("lib.jar").toString();
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try {
      Configuration own = new Configuration(conf);
      new GenericOptionsParser(
          own, new String[] {"-files", file, "-archives", tree, "-libjars", jar});
      // As if the client had no jar in its own class path.
      own.setClassLoader(loader);
      Thread.currentThread().setContextClassLoader(loader);
      String found = found(job(own, "options")).toString();
      assertTrue(found.contains("some data, a tree; class path: a library, a library"), found);
    } finally {
      Thread.currentThread().setContextClassLoader(loader);
    }
  }

  @Test
  void classesOfTheJobsJarAndOfLibrariesInIt() throws Exception {
    String name = CacheJobs.Finds.class.getName().replace('.', '/') + ".class";
    byte[] code;
    try (var in = CacheJobs.Finds.class.getClassLoader().getResourceAsStream(name)) {
      code = in.readAllBytes();
    }
    Path library =
        CacheJobs.zip(
            directory.resolve("inner.jar"),
            Map.of("in-the-jar.txt", CacheJobs.bytes("inside the jar")));
    Job job = job(conf, "jar");
    job.setJar(
        CacheJobs.zip(
                directory.resolve("job.jar"),
                Map.of(name, code, "lib/inner.jar", Files.readAllBytes(library)))
            .toString());
    assertTrue(found(job).toString().contains("class path: inside the jar, inside the jar"));
  }

  @Test
  void filesOfAnotherFileSystem() throws Exception {
    conf.set("fs.viewfs.mounttable.cluster.link./all", directory.toUri().toString());
    Job job = job(conf, "other");
    job.addCacheFile(URI.create("viewfs://cluster/all/data.txt#" + CacheJobs.LINK));
    assertTrue(found(job).toString().contains("by name: some data"));
  }

  @Test
  void whatCannotBeUnpackedFailsTheJobWithItsReason() throws Exception {
    CacheJobs.write(directory.resolve("broken.tgz"), "no archive");
    Job job = job(conf, "broken");
    job.addCacheFile(uri("data.txt", CacheJobs.LINK));
    job.addCacheArchive(uri("broken.tgz", CacheJobs.TREE));
    assertFalse(job.waitForCompletion(false));
    assertEquals(JobStatus.State.FAILED, job.getStatus().getState());
    assertTrue(
        job.getStatus().getFailureInfo().contains("broken.tgz"), job.getStatus().getFailureInfo());
  }

  @Test
  void aLinkThatLeadsOutOfTheWorkingDirectoryFailsTheJob() throws Exception {
    Job job = job(conf, "outside");
    job.addCacheFile(uri("data.txt", "../outside.txt"));
    assertFalse(job.waitForCompletion(false));
    assertTrue(job.getStatus().getFailureInfo().contains("../outside.txt"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"the user's", "some data"})
  void aFileThatWasThereBeforeStaysAndIsReadIfItIsTheSame(String content) throws Exception {
    Path own = WORKING.resolve(CacheJobs.LINK);
    Files.writeString(own, content);
    try {
      Job job = cached(OURS, "data.txt");
      if (content.equals("some data")) {
        assertTrue(found(job).toString().contains("by name: some data"));
      } else {
        assertFalse(job.waitForCompletion(false), "its tasks would read another file");
        String why = job.getStatus().getFailureInfo();
        assertTrue(why.contains(own + " already exists"), why);
      }
      assertEquals(content, Files.readString(own));
    } finally {
      Files.delete(own);
    }
  }

  private Job hold(String data) throws Exception {
    CacheJobs.mayEnd = new CountDownLatch(1);
    Job held = cached(OURS, data);
    held.getConfiguration().setBoolean(CacheJobs.LATE, true);
    held.submit();
    CacheJobs.begun.await();
    return held;
  }

  @Test
  void jobsBesideOneAnotherShareALinkToTheSameContent() throws Exception {
    CacheJobs.write(directory.resolve("copy.txt"), "some data");
    Job held = hold("data.txt");
    assertTrue(found(cached(OURS, "copy.txt")).toString().contains("by name: some data, a tree"));
    CacheJobs.mayEnd.countDown();
    assertTrue(found(held).toString().contains("by name: some data, a tree"));
  }

  @Test
  void aLinkOutlivesTheJobThatMadeIt() throws Exception {
    CacheJobs.write(directory.resolve("copy.txt"), "some data");
    Job held = hold("data.txt");
    CountDownLatch first = CacheJobs.mayEnd;
    CacheJobs.begun = new CountDownLatch(1);
    Job other = hold("copy.txt");
    first.countDown();
    assertTrue(found(held).toString().contains("by name: some data"));
    CacheJobs.mayEnd.countDown();
    assertTrue(found(other).toString().contains("by name: some data"));
  }

  @Test
  void aJobWaitsForOneThatCallsSomethingElseByTheSameName() throws Exception {
    CacheJobs.write(directory.resolve("other.txt"), "other data");
    Job held = hold("data.txt");
    List<Job> waiting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Job job = cached(OURS, "other.txt");
      FileOutputFormat.setOutputPath(
          job, new org.apache.hadoop.fs.Path(output("other" + i).toUri()));
      job.submit();
      waiting.add(job);
    }
    waiting.get(1).killJob();
    waiting.get(1).waitForCompletion(false);
    assertEquals(JobStatus.State.KILLED, waiting.get(1).getStatus().getState());
    assertEquals(JobStatus.State.PREP, waiting.get(0).getStatus().getState());
    CacheJobs.mayEnd.countDown();
    assertTrue(found(held).toString().contains("by name: some data"));
    assertTrue(waiting.get(0).waitForCompletion(false));
    assertTrue(Jobs.contents(output("other0")).toString().contains("by name: other data"));
  }

  /** Starts a job that calls something else by the name that its own job uses, and waits for it. */
  public static class Starts extends CacheJobs.Finds {
    static volatile Job inner;

    @Override
    protected void setup(Context context) throws IOException, InterruptedException {
      try {
        Thread thread = new Thread(Starts::runInner, "of the user");
        thread.start();
        thread.join();
      } finally {
        context.progress();
      }
    }

    private static void runInner() {
      try {
        inner.waitForCompletion(false);
      } catch (IOException | InterruptedException | ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  @Timeout(300)
  void aJobThatAJobWaitsForFailsWhereItWouldWaitForThat() throws Exception {
    CacheJobs.write(directory.resolve("other.txt"), "other data");
    Starts.inner = cached(OURS, "other.txt");
    Job outer = cached(OURS, "data.txt");
    outer.setMapperClass(Starts.class);
    assertTrue(found(outer).toString().contains("by name: some data"));
    assertEquals(JobStatus.State.FAILED, Starts.inner.getStatus().getState());
    String why = Starts.inner.getStatus().getFailureInfo();
    assertTrue(why.contains(CacheJobs.LINK) && why.contains(outer.getJobID().toString()), why);
  }
}
