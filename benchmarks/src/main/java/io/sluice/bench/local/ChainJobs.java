package io.sluice.bench.local;

import io.sluice.bench.Variant;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs chains of sorts, each in a process of its own.
 *
 * <p>Not thread-safe; the place is its caller's.
 */
final class ChainJobs {
  private static final List<String> JVM_OPTIONS = List.of("-Xmx1g");
  private static final int REDUCES = 2;

  private final LocalPlace place;
  private final LocalJobClient client;

  /**
   * The costs of a chain of jobs in a process of its own.
   *
   * @param process all of it
   * @param jobs each
   */
  record ChainRun(ProcessCosts process, List<JobTime> jobs) {}

  ChainJobs(LocalPlace place) {
    this.place = place;
    this.client = place.client("client", JVM_OPTIONS);
  }

  /** Writes that many records into that many files. */
  void generate(String name, long records, int files) {
    client.run(
        place.workloads(),
        List.of(
            "generate-records",
            "-Dmapreduce.framework.name=" + ChainVariant.SLUICE_FILES.framework(),
            place.temporary(),
            "-Dworkloads.generate.files=" + files,
            Long.toString(records),
            place.uri(name)));
  }

  /**
   * Runs a chain; what it has put out is deleted.
   *
   * @param checked whether the last line has the number of records and their sum
   */
  ChainRun run(ChainVariant variant, String input, int jobs, boolean checked) {
    Path times = place.path("times");
    List<String> command =
        new ArrayList<>(
            List.of(
                "sortchain",
                "-Dmapreduce.framework.name=" + variant.framework(),
                "-Dmapreduce.job.reduces=" + REDUCES,
                "-Dworkloads.sortchain.check=" + checked,
                place.temporary()));
    command.add(place.uri(input));
    command.add(variant.inMemory() ? "sluice:///sorted" : place.uri("sorted"));
    command.add(Integer.toString(jobs));
    command.add(times.toString());
    ProcessCosts costs = client.run(place.workloads(), command);
    if (!variant.inMemory()) {
      Workspace.delete(place.path("sorted"));
    }
    return new ChainRun(costs, JobTime.read(times));
  }

  /**
   * The costs of one of the jobs of a program, as the program says.
   *
   * @param job its name
   * @param wallMs from its submission to when its client knew of its end
   * @param cpuMs processor time of the whole process meanwhile
   * @param result what came of it
   */
  record JobTime(String job, long wallMs, long cpuMs, String result) {
    private static final int FIELDS = 4;

    /** All of a program, in their order. */
    static List<JobTime> read(Path file) {
      try {
        return Files.readAllLines(file).stream().map(JobTime::parse).toList();
      } catch (IOException e) {
        throw new UncheckedIOException("the program did not write what its jobs took", e);
      }
    }

    private static JobTime parse(String line) {
      String[] fields = line.split("\t");
      if (fields.length != FIELDS) {
        throw new ClusterException("not what a job took: " + line);
      }
      return new JobTime(
          fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]), fields[3]);
    }
  }

  /** The engine that runs a chain of jobs, and the place of its intermediate files. */
  enum ChainVariant implements Variant {
    STOCK("LocalJobRunner", "local", false),
    SLUICE_FILES("Sluice, files", "sluice", false),
    /** All outputs are in the in-memory namespace, that of the last job too. */
    SLUICE_MEMORY("Sluice, in memory", "sluice", true);

    private final String title;
    private final String framework;
    private final boolean inMemory;

    ChainVariant(String title, String framework, boolean inMemory) {
      this.title = title;
      this.framework = framework;
      this.inMemory = inMemory;
    }

    @Override
    public String title() {
      return title;
    }

    String framework() {
      return framework;
    }

    boolean inMemory() {
      return inMemory;
    }
  }
}
