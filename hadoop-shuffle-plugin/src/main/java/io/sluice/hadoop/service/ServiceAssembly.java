package io.sluice.hadoop.service;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.node.service.BounceConfig;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.NodeServiceConfig;
import io.sluice.node.service.Probes;
import io.sluice.rdma.Release;
import io.sluice.rdma.TransportChooser;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
  private static final String NO_OVERFLOW = "none";

  private ServiceAssembly() {}

  static NodeService start(Configuration conf, boolean recover) throws IOException {
    int shufflePort = conf.getInt(SHUFFLE_PORT, DEFAULT_SHUFFLE_PORT);
    if (shufflePort == 0) {
      throw new IOException(
          SHUFFLE_PORT
              + " is 0, so that reducers could not know where Sluice listens; set a fixed port");
    }
    int controlPort = shufflePort + NodeSettings.PORT_OFFSET.get(conf::getTrimmed);
    PoolPlace place = PoolPlace.prepare(conf, shufflePort);
    MediumChooser.Choice choice =
        MediumChooser.choose(NodeSettings.POOL_MEDIUM.get(conf::getTrimmed), place.pool());
    int segmentBytes = NodeSettings.POOL_SEGMENT_MB.get(conf::getTrimmed) << 20;
    StoreConfig.Builder store =
        StoreConfig.builder(
                place.pool(), (long) NodeSettings.POOL_CAPACITY_MB.get(conf::getTrimmed) << 20)
            .wholeAtStart(
                NodeSettings.POOL_ALLOCATION.get(conf::getTrimmed).equals(NodeSettings.AT_START))
            .geometry(segmentBytes, StoreConfig.DEFAULT_BLOCK_BYTES)
            .medium(choice.medium())
            .disk(
                overflowDirectories(conf),
                (long) NodeSettings.POOL_OVERFLOW_CAPACITY_MB.get(conf::getTrimmed) << 20,
                DISK_RESERVE_BYTES)
            .settingNames(
                new StoreConfig.SettingNames(
                    NodeSettings.POOL_CAPACITY_MB.name(),
                    NodeSettings.POOL_OVERFLOW_DIRS.name(),
                    NodeSettings.POOL_OVERFLOW_CAPACITY_MB.name()));
    TransportChooser chooser = TransportChooser.standard();
    TransportChooser.Choice transport =
        chooser.choose(NodeSettings.TRANSPORT.get(conf::getTrimmed));
    LOG.info("{}; {}; {}", Release.of(ServiceAssembly.class), transport.reason(), choice.reason());
    return NodeService.start(
        new NodeServiceConfig(
            place.directory(),
            store,
            choice.medium().name(),
            new InetSocketAddress(0).getAddress(),
            controlPort,
            chooser.withFallbacks(transport),
            recover,
            new BounceConfig(
                BounceConfig.DEFAULT_SLOT_BYTES,
                NodeSettings.BOUNCE_BUFFER_MB.get(conf::getTrimmed)),
            NodeSettings.LIMITS.get(conf::getTrimmed),
            Probes.CONFINED));
  }

  private static List<Path> overflowDirectories(Configuration conf) {
    String configured = NodeSettings.POOL_OVERFLOW_DIRS.get(conf::getTrimmed);
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
