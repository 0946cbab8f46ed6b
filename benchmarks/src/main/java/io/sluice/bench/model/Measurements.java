package io.sluice.bench.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.Comparison.Variant;
import io.sluice.it.report.Machine;
import io.sluice.it.spark.jobs.PersistArguments.PersistBenchmark;
import io.sluice.it.spark.jobs.PersistedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * All that the model is fitted to and checked by; kept in the page's JSON, from which it can be
 * read again.
 *
 * @param machine the machine
 * @param spark Spark's release
 * @param cores P: executors, with a core each
 * @param measured in the order in which it was measured
 */
public record Measurements(Machine machine, String spark, int cores, List<Measured> measured) {

  /** The name of the measurements in the JSON. */
  static final String NAME = "measurements";

  /**
   * Runs over blocks that are kept in one way.
   *
   * @param storage how
   * @param run what the job reported
   */
  public record Measured(Storage storage, PersistedRun run) {}

  /** Reads the measurements of an earlier run. */
  public static Measurements read(Path file) throws IOException {
    ObjectMapper json = new ObjectMapper();
    JsonNode measurements = json.readTree(file.toFile()).get(NAME);
    if (measurements == null) {
      throw new IOException(file + " has no measurements: it is no model.json");
    }
    return json.treeToValue(measurements, Measurements.class);
  }

  /** The runs of one benchmark and storage, by their sizes. */
  List<PersistedRun> of(PersistBenchmark benchmark, Storage storage) {
    return measured.stream()
        .filter(each -> each.storage() == storage && each.run().benchmark() == benchmark)
        .map(Measured::run)
        .sorted((one, other) -> Long.compare(one.textBytes(), other.textBytes()))
        .toList();
  }

  /** How many tasks over blocks ran where their block was not, though nobody sent them away. */
  long tasksElsewhere() {
    return overBlocks()
        .mapToLong(
            run ->
                run.runs().stream()
                    .flatMap(stages -> stages.get(0).tasks().stream())
                    .filter(task -> !run.load().get(task.partition()).equals(task.executor()))
                    .count())
        .sum();
  }

  /** How many there are that nobody sent away. */
  long tasksThatShouldBeAtTheirBlock() {
    return overBlocks().mapToLong(run -> (long) run.runs().size() * run.blocks()).sum();
  }

  private Stream<PersistedRun> overBlocks() {
    return measured.stream().map(Measured::run).filter(run -> !run.benchmark().isRemote());
  }

  /** Where and how Spark keeps persisted blocks; the paper's four, with our pool for its NVMe. */
  public enum Storage implements Variant {
    MEMORY("memory, deserialized", "MEMORY_ONLY"),
    SERIALIZED("memory, serialized", "MEMORY_ONLY_SER"),
    POOL("Sluice's pool", "DISK_ONLY"),
    DISK("disk", "DISK_ONLY");

    private final String title;
    private final String level;

    Storage(String title, String level) {
      this.title = title;
      this.level = level;
    }

    @Override
    public String title() {
      return title;
    }

    /** The storage level that Spark is told. */
    String level() {
      return level;
    }

    /** Whether its blocks are in memory that is Spark's. */
    boolean isSparksMemory() {
      return this == MEMORY || this == SERIALIZED;
    }
  }
}
