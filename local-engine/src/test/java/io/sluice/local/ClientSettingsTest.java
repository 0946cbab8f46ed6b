package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.jobcontrol.ControlledJob;
import org.apache.hadoop.mapreduce.tools.CLI;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is left of a client in the settings that it was made with. */
@Timeout(300)
@Tag("slow")
class ClientSettingsTest {
  private static final short STICKY = 01777;

  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 1, 10);
  }

  /** A client, and all that it asks for. */
  private interface Client {
    void make(JobConf conf) throws Exception;
  }

  /** Ways in which a client is made. */
  private enum Way {
    JOB_CLIENT(conf -> ask(new JobClient(conf))),
    INITIALIZED(
        conf -> {
          JobClient client = new JobClient();
          client.setConf(conf);
          client.init(conf);
          ask(client);
        }),
    CLUSTER(
        conf -> {
          Cluster cluster = new Cluster(conf);
          cluster.getFileSystem();
          cluster.getStagingAreaDir();
        }),
    TOOL(conf -> ToolRunner.run(new CLI(conf), new String[] {"-list-active-trackers"})),
    JOB(conf -> assertTrue(Job.getInstance(conf).waitForCompletion(false))),
    CONTROLLED_JOB(conf -> assertTrue(new ControlledJob(conf).getJob().waitForCompletion(false))),
    SUBMITTED(
        conf -> {
          JobClient client = new JobClient(conf);
          client.submitJob(conf).waitForCompletion();
          ask(client);
        }),
    RUN(JobClient::runJob);

    private final Client client;

    Way(Client client) {
      this.client = client;
    }

    private static void ask(JobClient client) throws Exception {
      client.getFs();
      client.getStagingAreaDir();
      client.getSystemDir();
      client.getClusterHandle().getFileSystem();
    }
  }

  private JobConf conf(String framework) {
    JobConf conf = new JobConf(jobs.conf());
    conf.set("mapreduce.framework.name", framework);
    conf.setNumReduceTasks(0);
    conf.setOutputKeyClass(LongWritable.class);
    conf.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(
        conf, new org.apache.hadoop.fs.Path(directory.resolve("input").toUri()));
    FileOutputFormat.setOutputPath(
        conf, new org.apache.hadoop.fs.Path(jobs.output(framework).toUri()));
    return conf;
  }

  /** All values, and where they are from. */
  private static Map<String, List<String>> all(Configuration conf) {
    Map<String, List<String>> all = new TreeMap<>();
    for (Map.Entry<String, String> each : conf) {
      String[] sources = conf.getPropertySources(each.getKey());
      all.put(each.getKey(), Arrays.asList(each.getValue(), Arrays.toString(sources)));
    }
    return all;
  }

  /** What making a client has changed. */
  private static Map<String, List<String>> changes(JobConf conf, Client client) throws Exception {
    Map<String, List<String>> before = all(conf);
    client.make(conf);
    Map<String, List<String>> after = all(conf);
    before.keySet().forEach(name -> after.putIfAbsent(name, List.of("unset")));
    after.entrySet().removeIf(each -> each.getValue().equals(before.get(each.getKey())));
    return after;
  }

  /** Of the changes that stock's makes, ours makes none or the same. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void aClientLeavesItsSettingsAsTheyAre(Way way) throws Exception {
    Map<String, List<String>> stocks = changes(conf("local"), way.client);
    Map<String, List<String>> ours = changes(conf("sluice"), way.client);
    stocks.keySet().retainAll(ours.keySet());
    assertEquals(stocks, ours);
  }

  @Test
  void aJobPollsOftenUnlessItsUserSaysHowOften() throws Exception {
    Job job = Job.getInstance(conf("sluice"));
    assertTrue(job.waitForCompletion(false));
    assertEquals(10, Job.getCompletionPollInterval(job.getConfiguration()));
    assertEquals(10, Job.getProgressPollInterval(job.getConfiguration()));
    JobConf conf = conf("sluice");
    Jobs.deleteOutput(jobs.output("sluice"));
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 7);
    job = Job.getInstance(conf);
    assertTrue(job.waitForCompletion(false));
    assertEquals(7, Job.getCompletionPollInterval(job.getConfiguration()));
  }

  @Test
  void aFileSystemOfASubmissionKeepsPermissionsAsStocksDoes() throws Exception {
    JobConf conf = conf("sluice");
    JobClient client = new JobClient(conf);
    assertEquals(LocalFileSystem.class, client.getFs().getClass());
    client.submitJob(conf).waitForCompletion();
    FileSystem stock = FileSystem.getLocal(conf);
    org.apache.hadoop.fs.Path shared =
        new org.apache.hadoop.fs.Path(Files.createDirectory(directory.resolve("shared")).toUri());
    for (FileSystem one : List.of(client.getFs(), stock)) {
      for (short mode : new short[] {STICKY, 0700, 01750, 0}) {
        one.setPermission(shared, new FsPermission(mode));
        for (FileSystem other : List.of(client.getFs(), stock)) {
          FileStatus status = other.getFileStatus(shared);
          assertEquals(mode, status.getPermission().toShort());
          assertEquals(stock.getFileStatus(shared).getOwner(), status.getOwner());
          assertEquals(stock.getFileStatus(shared).getGroup(), status.getGroup());
        }
      }
    }
  }
}
