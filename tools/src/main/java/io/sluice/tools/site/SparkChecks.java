package io.sluice.tools.site;

import io.sluice.node.conf.Setting.Units;
import io.sluice.rdma.text.ErrorText;
import io.sluice.tools.doctor.Finding;
import io.sluice.tools.doctor.Finding.ByteSize;
import io.sluice.tools.doctor.Finding.ShellWord;
import io.sluice.tools.doctor.SystemFiles;
import io.sluice.tools.site.NodeMemoryCheck.PoolFileSystem;
import io.sluice.tools.site.SiteConf.Property;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Checks the properties of {@code spark-defaults.conf} that concern Sluice. Its siblings for Hadoop
 * are {@link HadoopProperties}, {@link HadoopJars} and {@link NodeMemoryCheck}.
 *
 * @param conf the properties of the file
 * @param files where the kernel shows the range of ports for outgoing connections
 * @param shared the directory in which a pool lies by default
 * @param ownRelease the release of this doctor; empty if it does not run from a jar
 */
record SparkChecks(SiteConf conf, SystemFiles files, Path shared, Optional<String> ownRelease) {
  static final String MANAGER_KEY = "spark.shuffle.manager";
  static final String MANAGER = "io.sluice.spark.SluiceShuffleManager";

  private static final String JARS = "spark.jars";
  private static final String DRIVER_PATH = "spark.driver.extraClassPath";
  private static final String EXECUTOR_PATH = "spark.executor.extraClassPath";
  private static final String OVERHEAD = "spark.executor.memoryOverhead";
  private static final String PUSH = "spark.shuffle.push.enabled";
  private static final String CAPACITY = "spark.sluice.pool.capacity";
  private static final String POOL_DIR = "spark.sluice.pool.dir";
  private static final String AUTO = "auto";
  private static final String SERVICE = "spark.sluice.service";
  private static final String NO_SERVICE = "none";

  /** If it is set, Sluice uses the NodeManagers' service on YARN by default. */
  private static final String STOCK_SERVICE = "spark.shuffle.service.enabled";

  private static final String PORT = "spark.sluice.pool.port";

  List<Finding> look() {
    List<Finding> findings = new ArrayList<>();
    Optional<Property> manager = conf.get(MANAGER_KEY);
    findings.add(
        manager.filter(set -> set.value().equals(MANAGER)).isPresent()
            ? Finding.ok(manager.get().where(), "is " + MANAGER)
            : Finding.broken(
                where(MANAGER_KEY),
                manager.map(set -> "is " + set.value()).orElse("is not set"),
                "applications use Spark's own shuffle unless they set it",
                "set it to " + MANAGER));
    jar(findings);
    pool(findings);
    if (conf.get(PUSH, "false").equalsIgnoreCase("true")) {
      findings.add(
          Finding.problem(
              where(PUSH),
              "is true",
              "Sluice does not merge what maps push",
              "remove it, or let these applications use Spark's own shuffle"));
    }
    port(findings);
    return findings;
  }

  private String where(String name) {
    return conf.file(SiteConf.SPARK_DEFAULTS) + ", " + name;
  }

  /** Checks the jar, which Spark ships itself, or which is on both class paths. */
  private void jar(List<Finding> findings) {
    ClassPath shipped = ClassPath.of(conf.get(JARS, ""), MANAGER, System::getenv);
    ClassPath driver = ClassPath.of(conf.get(DRIVER_PATH, ""), MANAGER, System::getenv);
    ClassPath executor = ClassPath.of(conf.get(EXECUTOR_PATH, ""), MANAGER, System::getenv);
    List<ClassPath.Jar> jars = new ArrayList<>(shipped.jars());
    boolean onBoth = !driver.jars().isEmpty() && !executor.jars().isEmpty();
    jars.addAll(driver.jars());
    jars.addAll(executor.jars());
    List<Path> absent = new ArrayList<>(shipped.absent());
    absent.addAll(driver.absent());
    absent.addAll(executor.absent());
    String names = "%s, or %s and %s".formatted(JARS, DRIVER_PATH, EXECUTOR_PATH);
    if (!shipped.remote().isEmpty()) {
      findings.add(
          Finding.info(
              where(JARS),
              "has " + shipped.remote().get(0),
              "this doctor does not read other file systems, so it cannot compare the release",
              "check that it is the jar for Spark, of one release everywhere"));
      return;
    }
    if (shipped.jars().isEmpty() && !onBoth) {
      findings.add(
          Finding.broken(
              where(names),
              absent.isEmpty()
                  ? "have no jar of Sluice"
                  : "name %s, which is no readable jar on this host".formatted(absent.get(0)),
              "applications cannot load %s unless they add the jar with --jars".formatted(MANAGER),
              "set %s to the path of sluice-spark-<version>.jar, on Spark 3.5 %s and %s"
                  .formatted(JARS, DRIVER_PATH, EXECUTOR_PATH)));
      return;
    }
    findings.add(Finding.ok(where(names), "have " + jars.get(0).described()));
    List<String> releases =
        jars.stream().flatMap(found -> found.release().stream()).distinct().sorted().toList();
    if (releases.size() > 1) {
      findings.add(
          Finding.broken(
              where(names),
              "have two releases of Sluice: " + String.join(", ", releases),
              "driver and executors must have the same release",
              "leave one jar"));
    } else if (releases.size() == 1
        && ownRelease.isPresent()
        && !ownRelease.get().equals(releases.get(0))) {
      findings.add(
          Finding.problem(
              where(names),
              "have release %s, this doctor's is %s".formatted(releases.get(0), ownRelease.get()),
              "its findings are about its own release",
              "use the doctor of the jar's release"));
    }
  }

  private void pool(List<Finding> findings) {
    try {
      PoolFileSystem fileSystem = PoolFileSystem.of(conf.get(POOL_DIR, shared.toString()));
      overhead(fileSystem).ifPresent(findings::add);
      capacity(fileSystem).ifPresent(findings::add);
    } catch (IOException | InvalidPathException e) {
      findings.add(
          Finding.problem(
              where(POOL_DIR),
              "cannot be examined",
              ErrorText.of(e),
              "set it to a directory of this host"));
    }
  }

  /**
   * Checks the memory of a pool without a size: it gets the part of the overhead that Spark leaves.
   */
  Optional<Finding> overhead(PoolFileSystem fileSystem) {
    String master = conf.get("spark.master", "");
    boolean isContainer = master.equals("yarn") || master.startsWith("k8s");
    boolean isSized = !conf.get(CAPACITY, AUTO).equals(AUTO);
    boolean isOfNode =
        !conf.get(SERVICE, NO_SERVICE).equals(NO_SERVICE)
            || master.equals("yarn")
                && conf.get(SERVICE).isEmpty()
                && conf.get(STOCK_SERVICE, "false").equalsIgnoreCase("true");
    return isContainer
            && conf.get(OVERHEAD).isEmpty()
            && !isSized
            && !isOfNode
            && fileSystem.isMemory()
        ? Optional.of(
            Finding.problem(
                where(OVERHEAD),
                "is not set, with spark.master=" + master,
                master.equals("yarn")
                    ? "an executor's container then has no memory for a pool, and shuffles go to files"
                    : "an executor's pool then has 64 MiB at most, and the rest of a shuffle goes to"
                        + " files",
                master.equals("yarn")
                    ? "set it to Spark's default plus the size of the pool (docs/spark.md)"
                    : "set it to Spark's default plus the size of the pool, and mount a /dev/shm as"
                        + " large (docs/containers.md)"))
        : Optional.empty();
  }

  /** Checks whether the size of a pool exceeds its file system. */
  Optional<Finding> capacity(PoolFileSystem fileSystem) {
    Optional<Property> capacity = conf.get(CAPACITY);
    OptionalLong bytes = capacity.map(set -> Units.bytes(set.value())).orElse(OptionalLong.empty());
    if (bytes.isEmpty()
        || fileSystem.totalBytes() == 0
        || bytes.getAsLong() <= fileSystem.totalBytes()) {
      return Optional.empty();
    }
    return Optional.of(
        Finding.problem(
            capacity.orElseThrow().where(),
            "is %s for each executor, more than %s of this host holds"
                .formatted(ByteSize.of(bytes.getAsLong()), fileSystem.path()),
            "that file system has %s; the rest goes to files"
                .formatted(ByteSize.of(fileSystem.totalBytes())),
            fileSystem.isTmpfs()
                ? "lower it, or mount -o remount,size=SIZE %s (a container: --shm-size)"
                    .formatted(ShellWord.of(fileSystem.path()))
                : "lower it, or set " + POOL_DIR + " to a larger file system"));
  }

  private void port(List<Finding> findings) {
    int port = conf.number(PORT, 0).orElse(0);
    String[] range = files.line(HadoopPorts.OUTGOING).orElse("0 0").split("\\s+");
    if (port > 0 && port >= Integer.parseInt(range[0]) && port <= Integer.parseInt(range[1])) {
      findings.add(
          Finding.problem(
              where(PORT),
              "is " + port,
              "this kernel uses ports from %s to %s for outgoing connections"
                  .formatted(range[0], range[1]),
              "set it below %s, or to 0 for free ports".formatted(range[0])));
    }
    if (port == HadoopPorts.SPARK_SERVICE_PORT) {
      findings.add(
          Finding.problem(
              where(PORT),
              "is " + port,
              "Spark's shuffle service listens there by default",
              "set another port"));
    }
  }
}
