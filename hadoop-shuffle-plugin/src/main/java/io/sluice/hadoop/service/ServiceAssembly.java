package io.sluice.hadoop.service;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.node.service.BounceConfig;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.NodeServiceConfig;
import io.sluice.rdma.TransportChooser;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a {@link NodeService} out of a NodeManager's configuration. */
final class ServiceAssembly {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceAssembly.class);

  /**
   * Stock's key and default, written out because the ShuffleHandler's class moves its port here.
   */
  static final String SHUFFLE_PORT = "mapreduce.shuffle.port";

  static final int DEFAULT_SHUFFLE_PORT = 13562;

  private static final long DISK_RESERVE_BYTES = 1L << 30;
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");
  private static final String POOL_NAME = "pool";
  private static final String NO_OVERFLOW = "none";

  private ServiceAssembly() {}

  static NodeService start(Configuration conf, boolean recover) throws IOException {
    int shufflePort = conf.getInt(SHUFFLE_PORT, DEFAULT_SHUFFLE_PORT);
    if (shufflePort == 0) {
      throw new IOException(
          SHUFFLE_PORT
              + " is 0, so that reducers could not know where Sluice listens; set a fixed port");
    }
    int controlPort = shufflePort + NodeSettings.PORT_OFFSET.get(conf);
    Path directory = directory(conf, shufflePort);
    makePrivate(directory);
    MediumChooser.Choice choice =
        MediumChooser.choose(NodeSettings.POOL_MEDIUM.get(conf), directory);
    int segmentBytes = NodeSettings.POOL_SEGMENT_MB.get(conf) << 20;
    StoreConfig.Builder store =
        StoreConfig.builder(
                directory.resolve(POOL_NAME), (long) NodeSettings.POOL_CAPACITY_MB.get(conf) << 20)
            .geometry(segmentBytes, StoreConfig.DEFAULT_BLOCK_BYTES)
            .medium(choice.medium())
            .disk(
                overflowDirectories(conf),
                (long) NodeSettings.POOL_OVERFLOW_CAPACITY_MB.get(conf) << 20,
                DISK_RESERVE_BYTES)
            .settingNames(
                new StoreConfig.SettingNames(
                    NodeSettings.POOL_CAPACITY_MB.name(),
                    NodeSettings.POOL_OVERFLOW_DIRS.name(),
                    NodeSettings.POOL_OVERFLOW_CAPACITY_MB.name()));
    TransportChooser chooser = TransportChooser.standard();
    TransportChooser.Choice transport = chooser.choose(NodeSettings.TRANSPORT.get(conf));
    LOG.info("{}; {}", transport.reason(), choice.reason());
    return NodeService.start(
        new NodeServiceConfig(
            directory,
            store,
            choice.medium().name(),
            new InetSocketAddress(0).getAddress(),
            controlPort,
            chooser.withFallbacks(transport),
            recover,
            new BounceConfig(
                BounceConfig.DEFAULT_SLOT_BYTES, NodeSettings.BOUNCE_BUFFER_MB.get(conf))));
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

  /** Gives the memory of a closed service's pool back. */
  static void removePool(Path directory) throws IOException {
    FileUtils.deleteDirectory(directory.resolve(POOL_NAME).toFile());
  }

  private static Path directory(Configuration conf, int shufflePort) {
    String configured = NodeSettings.POOL_DIR.get(conf);
    return configured.isEmpty()
        ? Path.of("/dev/shm", "sluice-" + System.getProperty("user.name") + "-" + shufflePort)
        : Path.of(configured);
  }

  private static List<Path> overflowDirectories(Configuration conf) {
    String configured = NodeSettings.POOL_OVERFLOW_DIRS.get(conf);
    List<Path> directories = new ArrayList<>();
    if (configured.equals(NO_OVERFLOW)) {
      return directories;
    }
    if (!configured.isEmpty()) {
      for (String directory : StringUtils.getTrimmedStrings(configured)) {
        directories.add(Path.of(directory));
      }
      return directories;
    }
    for (String localDir :
        StringUtils.getTrimmedStrings(
            conf.get(YarnConfiguration.NM_LOCAL_DIRS, YarnConfiguration.DEFAULT_NM_LOCAL_DIRS))) {
      directories.add(Path.of(localDir, "sluice-overflow"));
    }
    return directories;
  }
}
