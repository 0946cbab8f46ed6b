package io.sluice.hadoop.node;

import io.sluice.hadoop.conf.NodeSettings;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** Whether what YARN gives to containers leaves room for shuffling. */
final class ContainerMemory {
  private ContainerMemory() {}

  /**
   * What to tell an administrator; empty if it fits, or if YARN finds out by itself what containers
   * may have.
   */
  static Optional<String> shortage(Configuration conf, long serviceBytes, long machineBytes) {
    int containersMb =
        conf.getInt(YarnConfiguration.NM_PMEM_MB, YarnConfiguration.DEFAULT_NM_PMEM_MB);
    if (containersMb < 0 || ((long) containersMb << 20) + serviceBytes <= machineBytes) {
      return Optional.empty();
    }
    return Optional.of(
        "%s is %s MiB, shuffling takes up to %s MiB, and this machine has %s MiB: take %s off the first"
            .formatted(
                YarnConfiguration.NM_PMEM_MB,
                containersMb,
                serviceBytes >> 20,
                machineBytes >> 20,
                NodeSettings.NODE_MEMORY_MB.name()));
  }
}
