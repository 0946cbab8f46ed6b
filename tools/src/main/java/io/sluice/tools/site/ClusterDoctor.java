package io.sluice.tools.site;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.node.conf.SettingNames;
import io.sluice.tools.doctor.Finding;
import io.sluice.tools.doctor.SystemFiles;
import io.sluice.tools.site.SiteConf.Property;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

  /**
   * Finds names that have the prefix of Sluice's settings but are no setting. The known names come
   * from the pages of settings, which are generated from the code and lie in the jar.
   *
   * @param conf the configuration to check
   * @param prefix the prefix of Sluice's settings
   * @param pages the pages that list the settings
   * @param renamed former names of settings, and what to write instead
   */
  record KnownNames(SiteConf conf, String prefix, List<String> pages, Map<String, String> renamed) {
    static final Map<String, String> RENAMED_OF_HADOOP =
        Map.of(
            "sluice.transport",
            "sluice.reduce.transport (of jobs) and sluice.service.transport (of NodeManagers)",
            "sluice.bounce.buffer-mb",
            "sluice.service.bounce-buffer-mb");

    static final Map<String, String> RENAMED_OF_SPARK =
        Map.ofEntries(
            Map.entry("spark.sluice.pool.capacity-mb", "spark.sluice.pool.capacity"),
            Map.entry("spark.sluice.pool.segment-mb", "spark.sluice.pool.segmentSize"),
            Map.entry("spark.sluice.bounce.buffer-mb", "spark.sluice.server.bounceBuffer"),
            Map.entry("spark.sluice.read.buffer-mb", "spark.sluice.read.buffer"),
            Map.entry("spark.sluice.io.timeout-ms", "spark.sluice.io.timeout"),
            Map.entry("spark.sluice.persistence.capacity-mb", "spark.sluice.persistence.capacity"),
            Map.entry("spark.sluice.pool.max-connections", "spark.sluice.server.maxConnections"),
            Map.entry(
                "spark.sluice.pool.max-unproved-connections",
                "spark.sluice.server.maxUnprovedConnections"),
            Map.entry("spark.sluice.pool.proof-timeout-ms", "spark.sluice.server.proofTimeout"),
            Map.entry("spark.sluice.pool.idle-timeout-ms", "spark.sluice.server.idleTimeout"));

    private static final Pattern ROW = Pattern.compile("\\| `([A-Za-z.\\-]+)` \\|.*");

    /** Names that are no settings, and that Sluice passes to an application's classes itself. */
    private static final Set<String> OTHERS = Set.of("spark.sluice.secret");

    private static final String REFUSED =
        "; no NodeManager's service and no application of Spark starts with it";
    private static final String IN_ONE_PROCESS = "sluice.local.";

    static KnownNames ofHadoop(SiteConf conf) {
      return new KnownNames(
          conf, "sluice.", List.of("settings.md", "experiments.md"), RENAMED_OF_HADOOP);
    }

    static KnownNames ofSpark(SiteConf conf) {
      return new KnownNames(
          conf, "spark.sluice.", List.of("spark-settings.md", "experiments.md"), RENAMED_OF_SPARK);
    }

    List<Finding> look() {
      SettingNames names = new SettingNames(known(), renamed);
      return conf.all().stream()
          .filter(property -> property.name().startsWith(prefix))
          .filter(property -> !property.name().startsWith(IN_ONE_PROCESS))
          .flatMap(property -> complaint(names, property).stream())
          .toList();
    }

    private static Optional<Finding> complaint(SettingNames names, Property property) {
      return names.complaints(List.of(property.name())).stream()
          .findFirst()
          .map(
              sentence -> {
                String newName = names.renamed().get(property.name());
                String remedy =
                    newName == null
                        ? names
                            .nearest(property.name())
                            .map("write %s, or remove it"::formatted)
                            .orElse("remove it")
                        : "write " + newName;
                return property.file().endsWith(SiteConf.MAPRED_SITE)
                    ? Finding.problem(
                        property.where(),
                        "is no setting",
                        sentence + "; jobs only log a warning",
                        remedy)
                    : Finding.broken(property.where(), "is no setting", sentence + REFUSED, remedy);
              });
    }

    Set<String> known() {
      return Stream.concat(pages.stream().flatMap(KnownNames::names), OTHERS.stream())
          .collect(Collectors.toSet());
    }

    private static Stream<String> names(String page) {
      try (InputStream content = KnownNames.class.getResourceAsStream(page);
          BufferedReader lines =
              new BufferedReader(new InputStreamReader(content, StandardCharsets.UTF_8))) {
        return lines
            .lines()
            .map(ROW::matcher)
            .filter(Matcher::matches)
            .map(row -> row.group(1))
            .toList()
            .stream();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // the page is in this jar
      }
    }
  }
}
