package io.sluice.local.streaming;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.ComparedCounters;
import io.sluice.local.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs as mappers, combiners and reducers: as with LocalJobRunner, and gone when they hang. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class StreamingTest {
  private static final String OURS = "sluice";
  private static final String SUM =
      "awk -F '\t' '{ of[$1] += $3 } END { for (key in of) print key \"\\tsum\\t\" of[key] }'"
          + " | LC_ALL=C sort\n";

  /**
   * What LocalJobRunner does not set, but for the last, which keeps tasks from ending the process.
   */
  private static final TreeSet<String> OF_CLUSTER =
      new TreeSet<>(
          List.of(
              "job_local_dir",
              "mapred_cache_localFiles",
              "mapreduce_job_application_attempt_id",
              "mapreduce_job_local_dir",
              "mapreduce_task_uberized"));

  /** Names and places of the one run, and what runs it. */
  private static final TreeSet<String> OF_RUN =
      new TreeSet<>(
          List.of(
              "mapred_job_id",
              "mapred_local_dir",
              "mapred_task_id",
              "mapred_tip_id",
              "mapred_work_output_dir",
              "mapreduce_cluster_local_dir",
              "mapreduce_framework_name",
              "mapreduce_job_cache_files_timestamps",
              "mapreduce_job_cache_local_files",
              "mapreduce_job_dir",
              "mapreduce_job_id",
              "mapreduce_job_jar",
              "mapreduce_job_map_output_collector_class",
              "mapreduce_job_reduce_shuffle_consumer_plugin_class",
              "mapreduce_output_fileoutputformat_outputdir",
              "mapreduce_task_attempt_id",
              "mapreduce_task_id",
              "mapreduce_task_output_dir"));

  private static final long DEADLINE_S = 120;

  @TempDir private Path directory;

  @BeforeEach
  void write() throws IOException {
    Path input = Files.createDirectories(directory.resolve("input"));
    for (int file = 0; file < 3; file++) {
      StringBuilder lines = new StringBuilder();
      for (int line = 0; line < 400; line++) {
        int number = file * 100 + line;
        lines.append("word%d k%d %d%n".formatted(number % 37, number % 11, number));
      }
      Files.writeString(input.resolve("file" + file), lines);
    }
    script("map.sh", "tr ' ' '\\t'\n");
    script("sum.sh", SUM);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Leftovers.none(new StreamingRun(directory, OURS).settings(), directory.resolve("tmp"));
  }

  private String script(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + text);
    assertTrue(file.toFile().setExecutable(true));
    return file.toUri().toString();
  }

  private String files(String... names) {
    List<String> all = new ArrayList<>();
    for (String name : names) {
      all.add(directory.resolve(name).toUri().toString());
    }
    return String.join(",", all);
  }

  private StreamingRun succeeds(String framework, List<String> arguments) throws Exception {
    StreamingRun run = new StreamingRun(directory, framework);
    assertEquals(0, run.run(arguments), run.job() == null ? null : run.job().getFailureInfo());
    return run;
  }

  private TreeMap<String, Long> counters(StreamingRun run, boolean combines) throws Exception {
    return ComparedCounters.of(run.job().getCounters(), combines);
  }

  private StreamingRun sameAsStock(String... arguments) throws Exception {
    List<String> all = List.of(arguments);
    boolean combines = all.contains("-combiner");
    StreamingRun stock = succeeds("local", all);
    TreeMap<String, Long> expected = counters(stock, combines);
    StreamingRun ours = succeeds(OURS, all);
    assertEquals(stock.outputs(), ours.outputs());
    assertEquals(expected, counters(ours, combines));
    return ours;
  }

  @Test
  void mapperCombinerAndReducerFromTheDistributedCache() throws Exception {
    StreamingRun run =
        sameAsStock(
            "-files",
            files("map.sh", "sum.sh"),
            "-mapper",
            "sh map.sh",
            "-combiner",
            "sh sum.sh",
            "-reducer",
            "sh sum.sh",
            "-numReduceTasks",
            "2");
    assertTrue(run.outputs().get("part-00000").contains("\tsum\t"), run.outputs()::toString);
  }

  @Test
  void mapsOnlyAndSettingsInTheEnvironment() throws Exception {
    script("env.sh", "echo \"$MINE $mapreduce_job_name\"; cat\n");
    StreamingRun run =
        sameAsStock(
            "-D",
            "mapreduce.job.name=named",
            "-files",
            files("env.sh"),
            "-mapper",
            "sh env.sh",
            "-cmdenv",
            "MINE=of-mine",
            "-numReduceTasks",
            "0");
    assertEquals(4, run.outputs().size(), run.outputs().keySet()::toString); // with _SUCCESS
    assertTrue(run.outputs().get("part-00000").startsWith("of-mine named"));
  }

  /** Variables of a map's program, by name. */
  private TreeMap<String, String> environment(String framework) throws Exception {
    script("print.sh", "cat > /dev/null\nenv -0 | tr '\\n\\0' ' \\n' | sed 's/^/env /'\n");
    StreamingRun run =
        succeeds(
            framework,
            List.of(
                "-D",
                "mapreduce.job.name=named",
                "-files",
                files("print.sh"),
                "-mapper",
                "sh print.sh",
                "-cmdenv",
                "MINE=of-mine",
                "-numReduceTasks",
                "0"));
    TreeMap<String, String> all = new TreeMap<>();
    for (String line : run.outputs().get("part-00000").split("\n")) {
      if (line.startsWith("env ")) {
        String[] variable = line.substring("env ".length()).split("=", 2);
        all.put(variable[0], variable[1].strip());
      }
    }
    return all;
  }

  /** As with LocalJobRunner, with what a cluster's task has besides. */
  @Test
  void programsHaveTheEnvironmentOfStock() throws Exception {
    TreeMap<String, String> stock = environment("local");
    TreeMap<String, String> ours = environment(OURS);
    assertEquals("of-mine", ours.get("MINE"));
    TreeSet<String> more = new TreeSet<>(ours.keySet());
    more.removeAll(stock.keySet());
    assertEquals(OF_CLUSTER, more);
    TreeSet<String> different = new TreeSet<>(stock.keySet());
    different.removeIf(name -> stock.get(name).equals(ours.get(name)));
    assertEquals(OF_RUN, different);
  }

  @Test
  void keysOfSeveralFieldsArePartitionedAndSortedByThem() throws Exception {
    sameAsStock(
        "-D",
        "stream.num.map.output.key.fields=3",
        "-D",
        "mapreduce.partition.keypartitioner.options=-k1,1",
        "-D",
        "mapreduce.job.output.key.comparator.class="
            + "org.apache.hadoop.mapred.lib.KeyFieldBasedComparator",
        "-D",
        "mapreduce.partition.keycomparator.options=-k2,2 -k3,3nr",
        "-files",
        files("map.sh"),
        "-mapper",
        "sh map.sh",
        "-reducer",
        "cat",
        "-partitioner",
        "org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner",
        "-numReduceTasks",
        "3");
  }

  @Test
  void anotherInputFormatAndTypedBytes() throws Exception {
    sameAsStock(
        "-io",
        "typedbytes",
        "-inputformat",
        "org.apache.hadoop.mapred.KeyValueTextInputFormat",
        "-mapper",
        "cat",
        "-reducer",
        "cat",
        "-numReduceTasks",
        "2");
  }

  @Test
  void countersAndStatusFromStandardError() throws Exception {
    script(
        "tell.sh",
        "cat\necho reporter:counter:Mine,lines,7 >&2\necho reporter:status:told so >&2\n");
    StreamingRun run =
        sameAsStock("-files", files("tell.sh"), "-mapper", "sh tell.sh", "-reducer", "cat");
    assertEquals(21, run.job().getCounters().findCounter("Mine", "lines").getValue());
  }

  @Test
  void whoReadsNoInputSucceeds() throws Exception {
    sameAsStock("-mapper", "echo unread", "-reducer", "cat", "-numReduceTasks", "1");
  }

  @Test
  void whoFailsFailsTheJobWithTheStatus() throws Exception {
    script("fail.sh", "cat > /dev/null\nexit 3\n");
    StreamingRun run = new StreamingRun(directory, OURS);
    assertNotEquals(
        0,
        run.run(List.of("-files", files("fail.sh"), "-mapper", "sh fail.sh", "-reducer", "cat")));
    String why = run.job().getFailureInfo();
    assertTrue(why.contains("subprocess failed with code 3"), why);
  }

  /**
   * Says its process id in a file, and that of its child, then hangs and heeds no request to end.
   */
  private String hang(String reads) throws IOException {
    script(
        "hang.sh",
        "trap '' TERM INT\n"
            + reads
            + "sleep 86400 &\necho $$ $! >> $PIDS\nwhile :; do wait; done\n");
    return directory.resolve("pids").toString();
  }

  private StreamingRun hangingRun(String pids) {
    StreamingRun run = new StreamingRun(directory, OURS);
    run.settings().set("stream.addenvironment", "PIDS=" + pids);
    run.settings().setInt("sluice.local.map-threads", 3);
    return run;
  }

  private List<String> hangingArguments(String pids) {
    return List.of(
        "-files",
        files("hang.sh"),
        "-mapper",
        "sh hang.sh",
        "-reducer",
        "cat",
        "-cmdenv",
        "PIDS=" + pids);
  }

  private static void assertGone(Path pids) throws Exception {
    for (String line : Files.readAllLines(pids)) {
      for (String pid : line.split(" ")) {
        var process = ProcessHandle.of(Long.parseLong(pid));
        if (process.isPresent()) {
          process.get().onExit().get(DEADLINE_S, TimeUnit.SECONDS);
        }
      }
    }
  }

  @Test
  void whoHangsFailsByItsTimeoutAndIsGone() throws Exception {
    String pids = hang("cat > /dev/null\n");
    StreamingRun run = hangingRun(pids);
    run.settings().setInt("mapreduce.task.timeout", 2_000);
    run.settings().setInt("mapreduce.map.maxattempts", 1);
    assertNotEquals(0, run.run(hangingArguments(pids)));
    String why = run.job().getFailureInfo();
    assertTrue(why.contains("has reported no progress"), why);
    assertGone(Path.of(pids));
  }

  @Test
  void whoHangsWithoutReadingIsGoneWhenItsJobIsKilled() throws Exception {
    // More than a pipe and streaming's buffer take: the task hangs in its write.
    Files.writeString(directory.resolve("input/file0"), "a line\n".repeat(200_000));
    String pids = hang("");
    StreamingRun run = hangingRun(pids);
    FutureTask<Integer> running = new FutureTask<>(() -> run.run(hangingArguments(pids)));
    new Thread(running, "streaming").start();
    awaitHanging(Path.of(pids), 3);
    run.job().killJob();
    assertNotEquals(0, running.get(DEADLINE_S, TimeUnit.SECONDS));
    assertEquals(JobStatus.State.KILLED.getValue(), run.job().getJobState());
    assertGone(Path.of(pids));
  }

  @Test
  void aKilledAttemptOfWhomHangsLosesNoRecord() throws Exception {
    String pids = directory.resolve("pids").toString();
    script(
        "once.sh",
        "case $mapreduce_task_attempt_id in\n"
            + "*_m_000000_0) sleep 86400 &\necho $$ $! >> $PIDS; wait;;\nesac\ncat\n");
    StreamingRun run = hangingRun(pids);
    List<String> arguments =
        List.of(
            "-files",
            files("once.sh"),
            "-mapper",
            "sh once.sh",
            "-reducer",
            "cat",
            "-cmdenv",
            "PIDS=" + pids);
    FutureTask<Integer> running = new FutureTask<>(() -> run.run(arguments));
    new Thread(running, "streaming").start();
    awaitHanging(Path.of(pids), 1);
    Job job = new Cluster(run.settings()).getJob(run.job().getID());
    var first = job.getTaskReports(TaskType.MAP)[0].getRunningTaskAttemptIds().iterator().next();
    job.killTask(org.apache.hadoop.mapreduce.TaskAttemptID.forName(first.toString()));
    assertEquals(0, running.get(DEADLINE_S, TimeUnit.SECONDS), run.job().getFailureInfo());
    assertEquals(1_200, run.outputs().get("part-00000").lines().count());
    assertGone(Path.of(pids));
  }

  private static void awaitHanging(Path pids, int processes) throws Exception {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
    while (!Files.exists(pids) || Files.readAllLines(pids).size() < processes) {
      assertTrue(System.nanoTime() - endNs < 0, "the scripts have not begun");
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }
}
