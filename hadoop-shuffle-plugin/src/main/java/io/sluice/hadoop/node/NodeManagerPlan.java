package io.sluice.hadoop.node;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.conf.UnknownSettings;
import io.sluice.node.service.Probes;
import io.sluice.node.service.ServiceBuilder;
import io.sluice.node.service.ServicePlace;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** Says what a NodeManager's configuration does of its service. */
public final class NodeManagerPlan {
  /**
   * Stock's key and default, written out because the ShuffleHandler's class moves its port here.
   */
  public static final String SHUFFLE_PORT = "mapreduce.shuffle.port";

  static final int DEFAULT_SHUFFLE_PORT = 13562;

  private static final String NO_OVERFLOW = "none";

  private NodeManagerPlan() {}

  static ServiceBuilder of(Configuration conf, RunAsUsers users, boolean recover)
      throws IOException {
    UnknownSettings.refuse(conf);
    int shufflePort = conf.getInt(SHUFFLE_PORT, DEFAULT_SHUFFLE_PORT);
    if (shufflePort == 0) {
      throw new IOException(
          SHUFFLE_PORT
              + " is 0, so that reducers could not know where Sluice listens; set a fixed port");
    }
    UnaryOperator<String> settings = conf::getTrimmed;
    ServiceBuilder service = common(conf, settings, shufflePort, recover);
    return servesOthers(settings, users) ? service.users(users) : service;
  }

  private static boolean servesOthers(UnaryOperator<String> settings, RunAsUsers users) {
    return switch (NodeSettings.USERS.get(settings)) {
      case NodeSettings.ALL_USERS -> true;
      case NodeSettings.OWN_USER -> false;
      default -> users.mayBeOthers();
    };
  }

  private static ServiceBuilder common(
      Configuration conf, UnaryOperator<String> settings, int shufflePort, boolean recover)
      throws IOException {
    return ServiceBuilder.at(
            place(settings, shufflePort), (long) NodeSettings.POOL_CAPACITY_MB.get(settings) << 20)
        .wholeAtStart(NodeSettings.POOL_ALLOCATION.get(settings).equals(NodeSettings.AT_START))
        .segments(NodeSettings.POOL_SEGMENT_MB.get(settings) << 20)
        .overflow(
            overflowDirectories(conf),
            (long) NodeSettings.POOL_OVERFLOW_CAPACITY_MB.get(settings) << 20)
        .settingNames(
            NodeSettings.POOL_DIR.name(),
            new StoreConfig.SettingNames(
                NodeSettings.POOL_CAPACITY_MB.name(),
                NodeSettings.POOL_OVERFLOW_DIRS.name(),
                NodeSettings.POOL_OVERFLOW_CAPACITY_MB.name()))
        .medium(NodeSettings.POOL_MEDIUM.get(settings))
        .transport(NodeSettings.TRANSPORT.get(settings))
        .listen(shufflePort + NodeSettings.PORT_OFFSET.get(settings))
        .dataAddress(NodeSettings.DATA_ADDRESS.get(settings))
        .bounceMemory((long) NodeSettings.BOUNCE_BUFFER_MB.get(settings) << 20)
        .limits(NodeSettings.LIMITS.get(settings))
        .probes(Probes.CONFINED)
        .recover(recover);
  }

  private static ServicePlace place(UnaryOperator<String> settings, int shufflePort)
      throws IOException {
    Path standard =
        Path.of("/dev/shm", "sluice-" + System.getProperty("user.name") + "-" + shufflePort);
    String configured = NodeSettings.POOL_DIR.get(settings);
    return ServicePlace.of(configured.isEmpty() ? standard : Path.of(configured), standard);
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
