package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.ClientWithJar;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobCounters;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.local.ComparedCounters;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The papers' programs, and some of Hadoop's, on a stock cluster and in their client's own process:
 * the same command with another {@code mapreduce.framework.name}. The history server tells of both
 * what they counted.
 */
@ExtendWith(SharedCluster.class)
@Tag("campaign")
class WorkloadsOracleIT {
  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final Pattern JOB = Pattern.compile("Running job: (job_\\d+_\\d+)");
  private static final String CLUSTERS_OWN = "org.apache.hadoop.mapreduce.JobCounter";

  /** Sizes of processes, which a task that has none of its own does not know. */
  private static final Pattern MEMORY = Pattern.compile(".*(PHYSICAL|VIRTUAL)_MEMORY_BYTES.*");

  /**
   * A program, and how to make what it reads; @in and @out are directories.
   *
   * @param input the generator or program that does, with its arguments
   * @param isExample whether it is one of Hadoop's examples, and not one of ours
   */
  record Workload(String name, List<String> input, List<String> arguments, boolean isExample) {
    Path jar(PseudoCluster cluster) {
      return isExample
          ? cluster.spec().distribution().examplesJar()
          : Workspace.find().workloadsJar();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static Workload workload(String name, String input, String arguments) {
    return new Workload(name, List.of(input.split(" ")), List.of(arguments.split(" ")), false);
  }

  private static Workload example(String name, String arguments) {
    return new Workload(
        name, List.of("generate-text", "2000", "@in"), List.of(arguments.split(" ")), true);
  }

  private static final Workload PAGE_RANK =
      workload("pagerank", "generate-graph 400 @in", "@in @out 2");

  static List<Workload> theOthers() {
    String text = "generate-text 2000 @in";
    String documents = "generate-documents 300 @in";
    String edges = "generate-graph -Dworkloads.graph.edges=true 200 @in";
    String tables = "generate-tables 2000 @in";
    return List.of(
        workload("wordcount", text, "@in @out"),
        workload("invertedindex", documents, "@in @out"),
        workload("kmeans", "generate-points 1000 @in", "@in @out 3 2"),
        workload("lda", documents, "@in @out 3 1"),
        workload("adjacencylist", edges, "@in @out"),
        workload("selfjoin", "generate-associations 1000 @in", "@in @out"),
        workload("sequencecount", text, "@in @out"),
        workload("rankedinvertedindex", text, "@sequences @out"),
        workload("synthetic", text, "@in @out"),
        workload("connectedcomponents", edges, "@in @out 3"),
        workload("degreedistribution", edges, "@in @out"),
        workload("radius", edges, "@in @out 3"),
        workload("aggregation", tables, "@in/uservisits @out"),
        workload("join", tables, "@in/rankings @in/uservisits @out"),
        example("aggregatewordcount", "@in @out 3 textinputformat"),
        example("multifilewc", "@in @out"),
        example("wordstandarddeviation", "@in @out"));
  }

  @Test
  void pageRankPutsOutAndCountsTheSameInOneProcess(PseudoCluster cluster) {
    sameInOneProcess(cluster, PAGE_RANK);
  }

  /** The same command on the cluster, when one machine is too small. */
  @Test
  void pageRankGrowsOntoTheClusterAndGoesThroughSluiceThere(PseudoCluster cluster) {
    Workload grows = workload("pagerank", "generate-graph 400 @grows", "@grows @out 2");
    inOneProcess(cluster, grows, "", grows.input);
    List<String> program = program(grows);
    inOneProcess(cluster, grows, "/before", program);
    String printed =
        onCluster(cluster, grows, "/after", program, HadoopVariant.SLUICE.settings(cluster));
    Oracle.assertSameOutput(cluster, directory(grows) + "/before", directory(grows) + "/after");
    List<String> jobs = jobs(printed);
    assertFalse(jobs.isEmpty(), printed);
    for (String job : jobs) {
      assertFalse(JobHistory.of(cluster).counters(job).group(JobCounters.SLUICE).isEmpty(), job);
    }
  }

  @ParameterizedTest
  @MethodSource("theOthers")
  void aProgramPutsOutAndCountsTheSameInOneProcess(Workload workload, PseudoCluster cluster) {
    sameInOneProcess(cluster, workload);
  }

  private static void sameInOneProcess(PseudoCluster cluster, Workload workload) {
    inOneProcess(cluster, workload, "", workload.input);
    if (workload.arguments.contains("@sequences")) {
      inOneProcess(cluster, workload, "", List.of("sequencecount", "@in", "@sequences"));
    }
    List<String> program = program(workload);
    // Both outputs' names are of the same length: splits, which are counted, have them.
    List<TreeMap<String, Long>> expected =
        counted(
            cluster,
            onCluster(cluster, workload, "/cluster", program, HadoopVariant.STOCK.settings()));
    List<TreeMap<String, Long>> actual =
        counted(cluster, inOneProcess(cluster, workload, "/process", program));
    Oracle.assertSameOutput(
        cluster, directory(workload) + "/cluster", directory(workload) + "/process");
    assertFalse(expected.isEmpty(), "jobs that ran");
    assertEquals(expected.size(), actual.size(), "jobs that ran");
    for (int job = 0; job < expected.size(); job++) {
      for (String name : List.copyOf(expected.get(job).keySet())) {
        if (expected.get(job).get(name).equals(actual.get(job).get(name))) { // short to read
          expected.get(job).remove(name);
          actual.get(job).remove(name);
        }
      }
      assertEquals(expected.get(job), actual.get(job), "job " + job);
    }
  }

  private static List<String> program(Workload workload) {
    List<String> program = new ArrayList<>(List.of(workload.name, "-Dmapreduce.job.reduces=3"));
    program.addAll(workload.arguments);
    return program;
  }

  private static String directory(Workload workload) {
    return "/workloads/" + workload.name;
  }

  private static List<String> placed(Workload workload, String output, List<String> arguments) {
    return arguments.stream()
        .map(each -> each.equals("@out") ? directory(workload) + output : each)
        .map(each -> each.replaceFirst("^@", directory(workload) + "/"))
        .toList();
  }

  private static String onCluster(
      PseudoCluster cluster,
      Workload workload,
      String output,
      List<String> program,
      Map<String, String> settings) {
    JobSpec spec =
        new JobSpec(
            workload.name,
            workload.jar(cluster),
            program.get(0),
            settings,
            placed(workload, output, program.subList(1, program.size())),
            DEADLINE);
    return RunningJob.run(cluster, spec, JobProgress.SILENT).requireSuccess().output();
  }

  private static String inOneProcess(
      PseudoCluster cluster, Workload workload, String output, List<String> program) {
    List<String> arguments = new ArrayList<>();
    boolean generates = program.get(0).startsWith("generate-");
    Path jar = generates ? Workspace.find().workloadsJar() : workload.jar(cluster);
    arguments.add(jar.toString());
    arguments.add(program.get(0));
    arguments.add("-Dmapreduce.framework.name=sluice");
    arguments.addAll(placed(workload, output, program.subList(1, program.size())));
    return ClientWithJar.jar(cluster, arguments);
  }

  /** What each job of a client that has printed this has counted, by group and name. */
  private static List<TreeMap<String, Long>> counted(PseudoCluster cluster, String printed) {
    return jobs(printed).stream()
        .map(job -> compared(JobHistory.of(cluster).counters(job)))
        .toList();
  }

  private static List<String> jobs(String printed) {
    return JOB.matcher(printed).results().map(job -> job.group(1)).toList();
  }

  private static TreeMap<String, Long> compared(JobCounters counters) {
    boolean combines = counters.task("COMBINE_INPUT_RECORDS") > 0;
    TreeMap<String, Long> compared = new TreeMap<>();
    counters
        .groups()
        .forEach(
            (group, values) -> {
              for (Map.Entry<String, Long> each : values.entrySet()) {
                if (!group.equals(CLUSTERS_OWN)
                    && !MEMORY.matcher(each.getKey()).matches()
                    && ComparedCounters.isCompared(group, each.getKey(), combines)) {
                  compared.put(group + " " + each.getKey(), each.getValue());
                }
              }
            });
    return compared;
  }
}
