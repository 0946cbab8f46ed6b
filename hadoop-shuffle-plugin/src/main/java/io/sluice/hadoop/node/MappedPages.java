package io.sluice.hadoop.node;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Whether YARN counts pages of the pool that a task maps against the task's container, and would
 * kill it for them.
 *
 * <pre>
 *   what looks at a container's memory        counts the pool's pages
 *   the kernel (cgroups), for each container  no: they are the service's, which touched them first
 *   the kernel, for all of them (elastic)     as by what looks besides, which goes on
 *   nothing                                   no
 *   physical memory, by /proc                 yes
 *   physical memory, smaps-based-rss          no: of its pages only anonymous ones
 *   virtual memory                            yes
 * </pre>
 *
 * <p>Thread contract: stateless.
 */
final class MappedPages {
  private MappedPages() {}

  /** The settings of this NodeManager by which it counts them; none if it does not. */
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
