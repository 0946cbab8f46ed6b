package io.sluice.spark.pool;

import io.sluice.node.service.NodeService;
import io.sluice.node.service.PortPlan;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the service of an executor's pool, at ports that are free.
 *
 * <p>Thread contract: stateless. Ownership: the caller closes the service. Failure: {@link
 * IOException}, and no service runs.
 */
final class PoolLauncher {
  private static final Logger LOG = LoggerFactory.getLogger(PoolLauncher.class);
  private static final int PORTS = 1 << 16;

  /** Spark's setting, and its default. Spark's method that reads it is another since 4.1. */
  private static final String MAX_RETRIES = "spark.port.maxRetries";

  private static final int DEFAULT_RETRIES = 16;

  private PoolLauncher() {}

  /**
   * Tries groups of ports one after the other, while a port of the group is taken.
   *
   * @throws IOException that names the settings if each group has a port that is taken
   */
  static NodeService start(
      SparkConf conf,
      PoolSize size,
      ExecutorTransports transports,
      Path directory,
      List<Path> localDirs)
      throws IOException {
    int firstPort = SparkSettings.POOL_PORT.get(SparkSettings.of(conf));
    int ports = 1 + transports.serving().size();
    int retries = firstPort == 0 ? 0 : conf.getInt(MAX_RETRIES, DEFAULT_RETRIES);
    IOException taken = new IOException("port numbers end there");
    int attempt = 0;
    for (int port = firstPort; port + ports <= PORTS && attempt <= retries; port += ports) {
      try {
        return start(SparkSettings.of(conf), size, transports, directory, localDirs, port);
      } catch (IOException e) {
        if (firstPort == 0 || !PortPlan.isConflict(e)) {
          throw e;
        }
        LOG.info("One of the {} ports from {} is taken: {}", ports, port, e.toString());
        taken = e;
        attempt++;
      }
    }
    throw new IOException(
        "no %s free ports in a row from %s = %s on, after %s tries, see %s: %s"
            .formatted(
                ports,
                SparkSettings.POOL_PORT.name(),
                firstPort,
                attempt,
                MAX_RETRIES,
                taken.getMessage()),
        taken);
  }

  private static NodeService start(
      UnaryOperator<String> settings,
      PoolSize size,
      ExecutorTransports transports,
      Path directory,
      List<Path> localDirs,
      int port)
      throws IOException {
    return NodeService.start(
        ServiceContext.at(
                ServiceDirectories.in(directory, PoolVisibility.PRIVATE), size.capacityBytes())
            .segments(size.segmentBytes())
            .overflow(
                localDirs.stream().map(local -> local.resolve("sluice-overflow")).toList(), 0, 0)
            .settingNames(
                SparkSettings.POOL_DIR.name(),
                new StoreConfig.SettingNames(
                    SparkSettings.POOL_CAPACITY_BYTES.name(), "spark.local.dir", "spark.local.dir"))
            .medium(SparkSettings.POOL_MEDIUM.get(settings))
            .transports(transports.serving())
            .dataAddress(SparkSettings.POOL_DATA_ADDRESS.get(settings))
            .bounceMemory(SparkSettings.BOUNCE_BUFFER_BYTES.get(settings))
            .limits(SparkSettings.LIMITS.get(settings))
            .listen(port)
            .needsAllPorts());
  }
}
