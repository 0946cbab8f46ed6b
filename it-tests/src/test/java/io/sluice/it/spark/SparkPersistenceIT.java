package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.jobs.PersistJob;
import io.sluice.it.spark.jobs.PersistJob.PersistReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Persisted rows in the pools of two executors of stock Spark, against its own files. */
class SparkPersistenceIT {
  private static final String EMPTY = "0 blocks in Sluice's pool, 0 bytes used; left to files: {}";
  private static final int ROWS = 100_000;
  private static final int PARTITIONS = 8;

  private static final Workspace WORKSPACE = Workspace.find();
  private static SparkSubmit submit;
  private static PersistReport stock;

  @TempDir static Path directory;

  @BeforeAll
  static void runWithoutSluice() {
    SparkDistribution spark = SparkDistribution.underTest();
    submit = new SparkSubmit(spark, directory.resolve("runs"));
    stock = run(SparkSubmit.LOCAL, job("DISK_ONLY"));
    assertEquals(Map.of("driver", PARTITIONS), stock.files(), "partitions in files");
  }

  @AfterAll
  static void close() {
    submit.close();
  }

  @AfterEach
  void noPoolIsLeft() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("pools"))) {
      assertEquals(List.of(), files.filter(file -> file.toString().endsWith(".lock")).toList());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whatIsPersistedOnDiskIsInThePools(int replicas) throws IOException {
    String level = replicas == 1 ? "DISK_ONLY" : "DISK_ONLY_" + replicas;
    PersistReport ours = run(SparkSubmit.LOCAL_CLUSTER, inPools(job(level)));
    assertRows(ours);
    assertAll(
        () -> assertEquals(replicas * stock.diskBytes(), ours.diskBytes(), "on the storage page"),
        () -> assertEquals(0, ours.memoryBytes()),
        () ->
            assertEquals(
                replicas * PARTITIONS,
                ours.stores().values().stream().mapToInt(SparkPersistenceIT::blocks).sum()));
  }

  @Test
  @Tag("campaign")
  void whatMemoryHasNoRoomForIsInThePools() throws IOException {
    PersistReport ours =
        run(
            SparkSubmit.LOCAL_CLUSTER,
            inPools(job("MEMORY_AND_DISK")).with("spark.memory.fraction", "0.005"));
    assertRows(ours);
    assertAll(
        () -> assertTrue(ours.diskBytes() > 0, ours.toString()),
        () -> assertTrue(ours.diskBytes() <= stock.diskBytes(), ours.toString()));
  }

  private static void assertRows(PersistReport ours) {
    assertAll(
        () -> assertEquals(ROWS, ours.count()),
        () -> assertEquals(stock.digest(), ours.digest()),
        () -> assertEquals(stock.digest(), ours.digestAgain()),
        () -> assertEquals(PARTITIONS, ours.keptPartitions()),
        () -> assertEquals(Map.of("0", 0, "1", 0), ours.files(), "partitions in files"),
        () -> assertEquals(Map.of("0", EMPTY, "1", EMPTY), ours.storesAfter()),
        () ->
            assertTrue(
                ours.stores().values().stream().allMatch(store -> store.endsWith("files: {}")),
                ours.toString()));
  }

  private static int blocks(String store) {
    return Integer.parseInt(store.substring(0, store.indexOf(' ')));
  }

  private static PersistReport run(String master, SparkJob job) {
    return submit.run(master, job).report(PersistReport.class);
  }

  private static SparkJob job(String level) {
    return QuickJvms.of(
        new SparkJob(
            "PersistJob",
            WORKSPACE.sparkJobsJar(),
            PersistJob.class.getName(),
            List.of(),
            Map.of(),
            List.of(level, Integer.toString(ROWS), Integer.toString(PARTITIONS), "7"),
            Duration.ofMinutes(15)));
  }

  private static SparkJob inPools(SparkJob job) throws IOException {
    return job.withJar(WORKSPACE.sparkEngineJar())
        .with("spark.plugins", "io.sluice.spark.SluicePlugin")
        .with("spark.sluice.persistence.enabled", true)
        .with("spark.sluice.persistence.capacity", "64m")
        .with("spark.sluice.pool.segmentSize", "16m")
        .with("spark.sluice.pool.dir", Files.createDirectories(directory.resolve("pools")));
  }
}
