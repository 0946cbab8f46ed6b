package io.sluice.it.cluster;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.service.Service;

/**
 * Several daemons of stock Hadoop in one JVM, each with its own configuration: an emulator needs
 * half a minute to start a JVM.
 *
 * <p>Hadoop's own {@code MiniYARNCluster} does the same with one configuration for all its
 * NodeManagers, and {@code MiniMRYarnCluster} takes other services than its own away from them.
 * Neither can make nodes whose pools are of different kinds. Both need metrics that may be
 * registered twice; Hadoop has a mode for that.
 *
 * <p>Thread contract: the main thread starts all, in their order, and ends. Failure: whatever a
 * daemon throws as it starts ends the JVM with status 1.
 */
public final class OneJvm {
  private static final String SEPARATOR = "=";

  private OneJvm() {}

  /** An argument: a daemon's class, which is a service, and its conf directory. */
  static String service(String className, Path conf) {
    return className + SEPARATOR + conf;
  }

  /** Where this class is. */
  static Path classPath() {
    try {
      return Path.of(OneJvm.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("this class is nowhere", e);
    }
  }

  /** Starts what the arguments name. */
  public static void main(String[] services) {
    DefaultMetricsSystem.setMiniClusterMode(true);
    try {
      for (String service : services) {
        int separator = service.indexOf(SEPARATOR);
        start(
            service.substring(0, separator),
            Path.of(service.substring(separator + SEPARATOR.length())));
      }
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1); // what has been started would run on
    }
  }

  private static void start(String className, Path conf) throws ReflectiveOperationException {
    Configuration configuration = new JobConf(); // knows the defaults of all
    for (String site : List.of("core-site.xml", "yarn-site.xml", "mapred-site.xml")) {
      configuration.addResource(new org.apache.hadoop.fs.Path(conf.resolve(site).toUri()));
    }
    Service service =
        Class.forName(className).asSubclass(Service.class).getDeclaredConstructor().newInstance();
    service.init(configuration);
    service.start();
  }
}
