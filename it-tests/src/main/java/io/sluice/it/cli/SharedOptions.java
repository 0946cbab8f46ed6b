package io.sluice.it.cli;

import io.sluice.bench.hadoop.Size;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/** Options that several commands have, and how values of options are read. */
final class SharedOptions {
  private SharedOptions() {}

  /**
   * Consent to install what a command lacks. The launcher obeys both options before it starts this
   * JVM; here they are accepted, and described for the help text.
   */
  static final class Install {
    @Option(
        names = "--install",
        scope = ScopeType.INHERIT,
        description = "Install what is missing, without a question.")
    private boolean install;

    @Option(
        names = "--no-install",
        scope = ScopeType.INHERIT,
        description =
            "Install nothing. Jobs and tests that lack Spark fail; tests that lack something else are"
                + " skipped by name.")
    private boolean noInstall;
  }

  /** Options of commands that need a cluster, and how it is started. */
  static final class Cluster {
    @Option(
        names = "--hadoop",
        paramLabel = "VERSION",
        defaultValue = HadoopDistribution.DEFAULT_VERSION,
        description = "Hadoop release: 3.5.0, 3.4.3 or 3.3.6 (default: ${DEFAULT-VALUE}).")
    private String hadoopVersion;

    @Option(names = "--keep", description = "Keep the cluster's configuration, logs and data.")
    private boolean keep;

    PseudoCluster start(Workspace workspace, Console console) {
      return start(workspace, console, Map.of());
    }

    /** Starts one with these settings of daemons and clients besides. */
    PseudoCluster start(Workspace workspace, Console console, Map<String, String> site) {
      HadoopDistribution distribution = distribution(workspace, console);
      Optional<SluiceFragments> sluice = SluiceFragments.load(workspace);
      ClusterSpec stock = ClusterSpec.of(distribution).withSite(site);
      ClusterSpec spec = sluice.map(found -> stock.withSluice(found, Set.of())).orElse(stock);
      PseudoCluster cluster =
          console.step(
              "Starting Hadoop " + hadoopVersion, () -> PseudoCluster.start(workspace, spec));
      console.say("daemons' logs: " + cluster.logs());
      if (keep) {
        cluster.keepDirectory();
      }
      return cluster;
    }

    private HadoopDistribution distribution(Workspace workspace, Console console) {
      return HadoopDistribution.isAssembled(workspace, hadoopVersion)
          ? HadoopDistribution.locate(workspace, hadoopVersion)
          : console.step(
              "Assembling Hadoop " + hadoopVersion + "; Maven downloads about 100 MB of it",
              () -> HadoopDistribution.assemble(workspace, hadoopVersion));
    }
  }

  /** Reads a number from 1 on. */
  static final class CountConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      try {
        int count = Integer.parseInt(text);
        if (count > 0) {
          return count;
        }
      } catch (NumberFormatException e) {
        // said below
      }
      throw new TypeConversionException("'" + text + "' is not a number from 1 on");
    }
  }

  /** Reads {@code 64m}. */
  static final class SizeConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      try {
        return Size.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
