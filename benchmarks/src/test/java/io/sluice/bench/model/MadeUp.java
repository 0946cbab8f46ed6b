package io.sluice.bench.model;

import io.sluice.bench.model.Measurements.Storage;
import io.sluice.it.report.Machine;
import io.sluice.it.spark.jobs.PersistArguments.PersistBenchmark;
import io.sluice.it.spark.jobs.PersistedRun;
import io.sluice.it.spark.jobs.PersistedRun.RanTask;
import io.sluice.it.spark.jobs.PersistedRun.StageRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Measurements of a machine that does what the equations say: two cores, four blocks, 10 ms to
 * begin and 5 to clean up, tasks that take 20 ms and some for each MB.
 */
final class MadeUp {
  static final int CORES = 2;
  static final int BLOCKS = 4;
  static final double NETWORK_MS_PER_MB = 3;
  static final List<Long> SIZES = List.of(4_000_000L, 8_000_000L, 12_000_000L, 20_000_000L);

  private MadeUp() {}

  static Measurements measurements() {
    List<Measurements.Measured> all = new ArrayList<>();
    for (Storage storage : Storage.values()) {
      for (PersistBenchmark benchmark : PersistBenchmark.values()) {
        if (!benchmark.isRemote() || storage == Storage.SERIALIZED) {
          SIZES.forEach(
              size -> all.add(new Measurements.Measured(storage, run(storage, benchmark, size))));
        }
      }
    }
    return new Measurements(new Machine("cpu", CORES, 1L << 30, "os", "17"), "4.2.0", CORES, all);
  }

  /** ms of a task for each MB of its block. */
  static int msPerMb(Storage storage) {
    return storage == Storage.MEMORY ? 1 : 10;
  }

  static PersistedRun run(Storage storage, PersistBenchmark benchmark, long size) {
    double blockMb = size / 1e6 / BLOCKS;
    double networkMs = benchmark.isRemote() ? NETWORK_MS_PER_MB * CORES * blockMb : 0;
    long taskMs = Math.round(20 + msPerMb(storage) * blockMb + networkMs);
    int stages = benchmark.name().startsWith("LINE") ? 1 : 2;
    String own = "0";
    StageRun stage = stage(taskMs, benchmark.isRemote() ? "1" : own);
    return new PersistedRun(
        benchmark,
        storage.level(),
        size,
        BLOCKS,
        BLOCKS,
        storage == Storage.MEMORY ? 2 * size : storage == Storage.SERIALIZED ? size : 0,
        storage.isSparksMemory() ? 0 : size,
        new TreeMap<>(),
        "digest",
        IntStream.range(0, BLOCKS).mapToObj(block -> own).toList(),
        List.of(Collections.nCopies(stages, stage)));
  }

  /** Two rounds of two. */
  private static StageRun stage(long taskMs, String executor) {
    return new StageRun(
        10 + 2 * taskMs + 5,
        IntStream.range(0, BLOCKS)
            .mapToObj(task -> new RanTask(task, executor, 10 + task / 2 * taskMs, taskMs))
            .toList());
  }
}
