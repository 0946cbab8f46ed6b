package io.sluice.hadoop.node;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Whether YARN counts pages of the pool that a task maps against the task's container, and would
 * kill it for them.
 *
 * <pre>
 *   what looks at a container's memory        counts the pool's pages
 *   the kernel (cgroups)                      no: they are the service's, which touched them first
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

  /** Of a NodeManager with this configuration. */
  static boolean areCounted(Configuration conf) {
    if (isKernels(conf)) {
      return false;
    }
    return isVirtualCounted(conf) || isPhysicalCounted(conf);
  }

  private static boolean isKernels(Configuration conf) {
    return conf.getBoolean(
            YarnConfiguration.NM_MEMORY_RESOURCE_ENABLED,
            YarnConfiguration.DEFAULT_NM_MEMORY_RESOURCE_ENABLED)
        && (conf.getBoolean(
                YarnConfiguration.NM_MEMORY_RESOURCE_ENFORCED,
                YarnConfiguration.DEFAULT_NM_MEMORY_RESOURCE_ENFORCED)
            || conf.getBoolean(
                YarnConfiguration.NM_ELASTIC_MEMORY_CONTROL_ENABLED,
                YarnConfiguration.DEFAULT_NM_ELASTIC_MEMORY_CONTROL_ENABLED));
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
