package io.sluice.hadoop.node;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Whether YARN counts the pages of the pool that a task maps as memory of the task's container. If
 * so, it could kill the container for them.
 *
 * <pre>
 *   who checks a container's memory           counts the pool's pages
 *   the kernel (cgroups), for each container  no: they are the service's, which touched them first
 *   the kernel, for all of them (elastic)     as below: YARN goes on checking by itself
 *   nothing                                   no
 *   physical memory, by /proc                 yes
 *   physical memory, smaps-based-rss          no: it counts anonymous pages only
 *   virtual memory                            yes
 * </pre>
 *
 * <p>Thread contract: stateless.
 */
final class MappedPages {
  private MappedPages() {}

  /** The settings of this NodeManager that make it count the pages; none if it does not. */
  static List<String> countedBy(Configuration conf) {
    if (isKernels(conf)) {
      return List.of();
    }
    List<String> settings = new ArrayList<>();
    if (isVirtualCounted(conf)) {
      settings.add(YarnConfiguration.NM_VMEM_CHECK_ENABLED + " is on");
    }
    if (isPhysicalCounted(conf)) {
      settings.add(
          YarnConfiguration.NM_PMEM_CHECK_ENABLED
              + " is on without "
              + YarnConfiguration.PROCFS_USE_SMAPS_BASED_RSS_ENABLED);
    }
    return settings;
  }

  private static boolean isKernels(Configuration conf) {
    return conf.getBoolean(
            YarnConfiguration.NM_MEMORY_RESOURCE_ENABLED,
            YarnConfiguration.DEFAULT_NM_MEMORY_RESOURCE_ENABLED)
        && conf.getBoolean(
            YarnConfiguration.NM_MEMORY_RESOURCE_ENFORCED,
            YarnConfiguration.DEFAULT_NM_MEMORY_RESOURCE_ENFORCED)
        && !conf.getBoolean(
            YarnConfiguration.NM_ELASTIC_MEMORY_CONTROL_ENABLED,
            YarnConfiguration.DEFAULT_NM_ELASTIC_MEMORY_CONTROL_ENABLED);
  }

  private static boolean isVirtualCounted(Configuration conf) {
    return conf.getBoolean(
        YarnConfiguration.NM_VMEM_CHECK_ENABLED, YarnConfiguration.DEFAULT_NM_VMEM_CHECK_ENABLED);
  }

  private static boolean isPhysicalCounted(Configuration conf) {
    boolean anonymousOnly =
        conf.getBoolean(
                YarnConfiguration.PROCFS_USE_SMAPS_BASED_RSS_ENABLED,
                YarnConfiguration.DEFAULT_PROCFS_USE_SMAPS_BASED_RSS_ENABLED)
            && conf.get(YarnConfiguration.NM_CONTAINER_MON_PROCESS_TREE) == null;
    return !anonymousOnly
        && conf.getBoolean(
            YarnConfiguration.NM_PMEM_CHECK_ENABLED,
            YarnConfiguration.DEFAULT_NM_PMEM_CHECK_ENABLED);
  }
}
