package io.sluice.hadoop.service;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.spill.medium.PoolKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
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
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");
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

  /**
   * The default one lies where anybody can create directories, and tasks hand secrets over there.
   */
  private static void makePrivate(Path directory) throws IOException {
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    Object owner = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS) || !owner.equals(self)) {
      throw new IOException(
          directory
              + " is a link or belongs to user id "
              + owner
              + ", expected a directory of user id "
              + self
              + "; remove it, or set "
              + NodeSettings.POOL_DIR.name());
    }
    Files.setPosixFilePermissions(directory, OWNER_ONLY);
  }
}
