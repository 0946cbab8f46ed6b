package io.sluice.tools.site;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.tools.doctor.Finding;
import io.sluice.tools.doctor.SystemFiles;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Runs all checks of a cluster's configuration files and returns their findings in the order in
 * which people read them. {@code Doctor} does the same for this machine.
 *
 * <p>Thread contract: stateless.
 */
public final class ClusterDoctor {
  private ClusterDoctor() {}

  /** Checks the site files of Hadoop in a directory, and whether this host fits them. */
  public static List<Finding> hadoop(Path directory) {
    UnaryOperator<String> environment = System::getenv;
    SystemFiles files = SystemFiles.ofThisMachine();
    SiteConf conf = SiteConf.ofHadoop(directory, environment);
    List<Finding> findings = new ArrayList<>(conf.findings());
    findings.addAll(new HadoopProperties(conf).look());
    findings.addAll(new HadoopJars(conf, environment, ownRelease()).look());
    findings.addAll(KnownNames.ofHadoop(conf).look());
    findings.addAll(new HadoopPorts(conf, files).look());
    findings.addAll(memory(conf, files).look());
    findings.addAll(new Containers(conf).look());
    return findings;
  }

  /** Checks {@code spark-defaults.conf} in a directory. */
  public static List<Finding> spark(Path directory) {
    SiteConf conf = SiteConf.ofSpark(directory);
    List<Finding> findings = new ArrayList<>(conf.findings());
    findings.addAll(
        new SparkChecks(
                conf, SystemFiles.ofThisMachine(), NodeMemoryCheck.SHARED_MEMORY, ownRelease())
            .look());
    findings.addAll(KnownNames.ofSpark(conf).look());
    return findings;
  }

  /**
   * A service in a container has the memory of that container, which may be less than the
   * machine's.
   */
  private static NodeMemoryCheck memory(SiteConf conf, SystemFiles files) {
    long ownBytes =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    long machineBytes =
        files
            .field("/proc/meminfo", "MemTotal:")
            .map(kib -> Long.parseLong(kib) << 10)
            .orElse(ownBytes);
    return new NodeMemoryCheck(conf, machineBytes, ownBytes, NodeMemoryCheck.SHARED_MEMORY);
  }

  private static Optional<String> ownRelease() {
    return Optional.ofNullable(ClusterDoctor.class.getPackage().getImplementationVersion());
  }
}
