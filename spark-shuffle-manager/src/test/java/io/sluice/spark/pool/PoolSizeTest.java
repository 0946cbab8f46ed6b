package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.pool.PoolSize.Surroundings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolSizeTest {
  private static final long MIB = 1L << 20;
  private static final long LARGE = 64L << 30;
  private static final Surroundings LARGE_MEMORY = new Surroundings(true, LARGE, LARGE, MIB);

  private static SparkConf conf(String... settings) {
    SparkConf conf = new SparkConf(false).set("spark.executor.memory", "8g");
    for (int i = 0; i < settings.length; i += 2) {
      conf.set(settings[i], settings[i + 1]);
    }
    return conf;
  }

  private static long mib(SparkConf conf, Surroundings surroundings) {
    return PoolSize.of(conf, surroundings).capacityBytes() / MIB;
  }

  /** Spark's own default for 8 GiB is 819 MiB. */
  @ParameterizedTest
  @CsvSource({
    "yarn, '', '', 0",
    "yarn, 512m, '', 0",
    "yarn, 819m, '', 0",
    "yarn, 820, '', 0", // a MiB is no pool
    "yarn, 2g, '', 1229",
    "k8s://https://host:6443, '', '', 64",
    "k8s://https://host:6443, 512m, '', 0",
    "k8s://https://host:6443, 819m, '', 64",
    "k8s://https://host:6443, 850m, '', 64",
    "k8s://https://host:6443, 900m, '', 81",
    "k8s://https://host:6443, 1g, '', 205",
    "k8s://https://host:6443, 2g, '', 1229",
    "k8s://https://host:6443, 4g, 0.4, 820",
    "spark://host:7077, '', '', 1024",
    "local[2], '', '', 1024"
  })
  void autoIsWhatTheContainersOverheadLeaves(
      String master, String overhead, String factor, long expectedMib) {
    SparkConf conf = conf("spark.master", master);
    if (!overhead.isEmpty()) {
      conf.set("spark.executor.memoryOverhead", overhead);
    }
    if (!factor.isEmpty()) {
      conf.set("spark.kubernetes.memoryOverheadFactor", factor);
    }
    assertEquals(expectedMib, mib(conf, LARGE_MEMORY));
  }

  @Test
  void aSmallHeapNeedsTheLeastOverhead() {
    SparkConf conf =
        conf("spark.master", "yarn", "spark.executor.memoryOverhead", "1g")
            .set("spark.executor.memory", "1g");
    assertEquals(1024 - 384, mib(conf, LARGE_MEMORY));
  }

  @Test
  void whatToSetIsSaid() {
    String unset = PoolSize.of(conf("spark.master", "yarn"), LARGE_MEMORY).reason();
    assertEquals(
        "0 MiB: spark.executor.memoryOverhead is not set and so 819 MiB, of which Spark itself needs"
            + " 819 MiB; for a pool of 1 GiB set spark.executor.memoryOverhead to 1843m, and have"
            + " a file system as large",
        unset);
  }

  /** All that Kubernetes and Spark give if nobody asks for more; G1 has the whole heap. */
  @Test
  void theDefaultsOfKubernetesHaveAPool() {
    SparkConf conf = new SparkConf(false).set("spark.master", "k8s://https://host:6443");
    Surroundings pod = new Surroundings(true, 64 * MIB, (1024 + 384) * MIB, 1024 * MIB);
    PoolSize size = PoolSize.of(conf, pod);
    assertEquals(63 * MIB, size.capacityBytes());
    assertEquals(
        "63 MiB: spark.executor.memoryOverhead is not set and so 384 MiB, of which Spark itself"
            + " needs 320 MiB; for a pool of 1 GiB set spark.executor.memoryOverhead to 1408m,"
            + " and have a file system as large, bounded by the size of the file system",
        size.reason());
    Surroundings mounted = new Surroundings(true, LARGE, (1024 + 384) * MIB, 1024 * MIB);
    assertEquals(64, mib(conf, mounted), "memory that the pod has, whatever is mounted");
    conf.set("spark.kubernetes.resource.type", "python");
    assertEquals(0, mib(conf, mounted), "Python needs all of it");
    conf.remove("spark.kubernetes.resource.type");
    conf.set("spark.executor.memoryOverhead", "100m");
    Surroundings small = new Surroundings(true, 64 * MIB, (1024 + 100) * MIB, 1024 * MIB);
    assertEquals(0, mib(conf, small), "Spark needs more than that itself");
  }

  @Test
  void aPoolThatIsNotMemoryTakesNone() {
    Surroundings disk = new Surroundings(false, LARGE, 100 * MIB, 90 * MIB);
    assertEquals(1024, mib(conf("spark.master", "yarn"), disk));
  }

  @Test
  void heapOverheadAndPoolFitTheLimit() {
    Surroundings container = new Surroundings(true, LARGE, 4096 * MIB, 2048 * MIB);
    SparkConf conf = conf("spark.executor.memory", "2g");
    assertEquals(1024, mib(conf, container));
    assertEquals(1664, mib(conf.set("spark.sluice.pool.capacity", "8g"), container));
    conf.set("spark.memory.offHeap.enabled", "true").set("spark.memory.offHeap.size", "1g");
    assertEquals(640, mib(conf, container));
    conf.set("spark.executor.pyspark.memory", "1g");
    assertEquals(0, mib(conf, container));
    String reason = PoolSize.of(conf, container).reason();
    assertTrue(reason.contains("bounded by the 4096 MiB of memory"), reason);
  }

  /** Whatever bounds it: what a container has left, or a small file system. */
  @Test
  void autoMakesNoPoolOfLessThanIsWorthIt() {
    SparkConf conf = conf("spark.executor.memory", "2g");
    Surroundings container = new Surroundings(true, LARGE, (2048 + 384 + 16) * MIB, 2048 * MIB);
    assertEquals(16, mib(conf, container));
    Surroundings smaller = new Surroundings(true, LARGE, (2048 + 384 + 15) * MIB, 2048 * MIB);
    assertEquals(0, mib(conf, smaller));
    String reason = PoolSize.of(conf, smaller).reason();
    assertTrue(reason.startsWith("0 MiB: the default, bounded by the 2447 MiB"), reason);
    assertTrue(reason.endsWith("; 15 MiB are too little for a pool"), reason);
    assertEquals(0, mib(conf, new Surroundings(true, 16 * MIB, LARGE, MIB)));
    conf.set("spark.master", "yarn").set("spark.executor.memoryOverhead", "2g");
    assertEquals(0, mib(conf, smaller));
    conf.set("spark.sluice.pool.capacity", "8m");
    assertEquals(8, mib(conf, smaller), "a size that is set is one that is wanted");
  }

  /** Spark says it to tasks, for an executor of the profile; all else is in their settings. */
  @Test
  void pythonsMemoryIsThatOfTheResourceProfile() {
    Surroundings container = new Surroundings(true, LARGE, 4096 * MIB, 2048 * MIB);
    SparkConf conf =
        conf("spark.executor.memory", "2g", "spark.executor.pyspark.memory", "100m")
            .set("spark.sluice.pool.capacity", "8g");
    assertEquals(1564, mib(conf, container));
    SparkConf local = new SparkConf(false).setMaster("local[1]").setAppName("PoolSizeTest");
    local.set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1");
    try (JavaSparkContext context = new JavaSparkContext(local)) {
      context.setLocalProperty("resource.pyspark.memory", "1024");
      List<Long> ofTask =
          context
              .parallelize(List.of(2048), 1)
              .map(heap -> mib(conf, new Surroundings(true, LARGE, 4096 * MIB, heap * MIB)))
              .collect();
      assertEquals(List.of(640L), ofTask);
    }
  }

  @Test
  void fourSegmentsFitTheFileSystemAndThePool() {
    Surroundings kubernetes = new Surroundings(true, 64 * MIB, LARGE, MIB);
    PoolSize size = PoolSize.of(conf(), kubernetes);
    assertEquals(63 * MIB, size.capacityBytes());
    assertTrue(4L * size.segmentBytes() <= size.capacityBytes(), size.toString());
    assertTrue(size.segmentBytes() >= 15 * MIB, size.toString());
    SparkConf small = conf("spark.sluice.pool.capacity", "8m");
    assertEquals(2 * MIB, PoolSize.of(small, LARGE_MEMORY).segmentBytes());
    assertEquals(64 * MIB, PoolSize.of(conf(), LARGE_MEMORY).segmentBytes());
  }

  @Test
  void theLimitOfTheControlGroupCounts() throws Exception {
    Assumptions.assumeTrue(
        Path.of("/dev/shm").toFile().getTotalSpace() >= 1L << 30,
        "/dev/shm has less than 1 GiB, which would be the limit here");
    Path group = memoryGroup(512 * MIB);
    try {
      Process child =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  "echo $$ > \"$0\"/cgroup.procs && exec \"$@\"",
                  group.toString(),
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx128m",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  PoolSizeTest.class.getName())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, child.waitFor());
      long capacityMib = Long.parseLong(said.strip());
      assertTrue(capacityMib >= 512 - 128 - 64 && capacityMib <= 512 - 64 - 64, said);
    } finally {
      Files.deleteIfExists(group);
    }
  }

  /** Says what the pool of a process in a control group may take. */
  public static void main(String[] args) throws IOException {
    SparkConf conf =
        conf("spark.executor.memory", "128m", "spark.executor.minMemoryOverhead", "64m");
    PoolSize size = PoolSize.of(conf, Path.of("/dev/shm"));
    System.out.println(size.capacityBytes() / MIB);
  }

  private static Path memoryGroup(long limitBytes) {
    Path old = Path.of("/sys/fs/cgroup/memory");
    boolean isOld = Files.isDirectory(old);
    Path group = (isOld ? old : Path.of("/sys/fs/cgroup")).resolve("sluice-" + System.nanoTime());
    try {
      Files.createDirectory(group);
      Files.writeString(
          group.resolve(isOld ? "memory.limit_in_bytes" : "memory.max"), Long.toString(limitBytes));
    } catch (IOException e) {
      group.toFile().delete();
      Assumptions.abort("no memory control group can be made here, as root can: " + e);
    }
    return group;
  }
}
