package io.sluice.hadoop.service;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.segment.PlaceUse;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;

/**
 * Where a NodeManager's service keeps what: everything in one directory if that can hold ordinary
 * files; else the pool alone lies where the setting says, on huge pages or a device.
 *
 * @param directory for the socket and what is known of applications
 * @param pool a directory or a device
 */
record PoolPlace(Path directory, Path pool) {
  private static final String POOL_NAME = "pool";

  /** The place that the configuration names, with its directories made private. */
  static PoolPlace prepare(Configuration conf, int shufflePort) throws IOException {
    Path standard =
        Path.of("/dev/shm", "sluice-" + System.getProperty("user.name") + "-" + shufflePort);
    String setting = NodeSettings.POOL_DIR.get(conf::getTrimmed);
    Path configured = setting.isEmpty() ? standard : Path.of(setting);
    PoolPlace place =
        switch (PoolKind.of(configured)) {
          case FILES -> new PoolPlace(configured, configured.resolve(POOL_NAME));
          case HUGE_PAGES -> new PoolPlace(standard, configured.resolve(POOL_NAME));
          case DEVICE -> new PoolPlace(standard, configured);
        };
    makePrivate(place.directory);
    if (!place.pool.equals(configured)) {
      makePrivate(place.pool);
    }
    return place;
  }

  /** Gives the memory of a closed service's pool back, where that can be done. */
  static void remove(Path pool) throws IOException {
    if (Files.isDirectory(pool)) {
      FileUtils.deleteDirectory(pool.toFile());
    }
  }

  private static void makePrivate(Path directory) throws IOException {
    PrivateDirectory.prepare(
        directory, PlaceUse.ANNOUNCED, "remove it, or set " + NodeSettings.POOL_DIR.name());
  }
}
