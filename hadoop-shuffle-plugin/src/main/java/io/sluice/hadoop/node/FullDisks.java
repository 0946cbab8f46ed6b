package io.sluice.hadoop.node;

import io.sluice.spill.store.DiskReserve;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * From when on YARN's disk health checker calls a disk full. A node whose local directories, or
 * whose log directories, are nearly all on full disks is unhealthy: YARN kills its containers and
 * runs their maps again elsewhere. So the disk tier stops before, and leaves 1 GiB for what
 * containers write until the checker looks again.
 *
 * <p>Thread contract: stateless.
 */
final class FullDisks {
  /** Hadoop 3.3.6 and later have these two; YARN's class has no constants for them in all. */
  private static final String UTILIZATION_ENABLED =
      "yarn.nodemanager.disk-health-checker.disk-utilization-threshold.enabled";

  private static final String FREE_SPACE_ENABLED =
      "yarn.nodemanager.disk-health-checker.disk-free-space-threshold.enabled";

  private static final long ABOVE_BYTES = 1L << 30;

  private FullDisks() {}

  /** What the disk tier of this NodeManager leaves free. */
  static DiskReserve reserve(Configuration conf) {
    boolean checks = conf.getBoolean(YarnConfiguration.NM_DISK_HEALTH_CHECK_ENABLE, true);
    double fullPercent =
        checks && conf.getBoolean(UTILIZATION_ENABLED, true)
            ? conf.getFloat(
                YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE,
                YarnConfiguration.DEFAULT_NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE)
            : 100;
    long fullMb =
        checks && conf.getBoolean(FREE_SPACE_ENABLED, true)
            ? conf.getLong(
                YarnConfiguration.NM_MIN_PER_DISK_FREE_SPACE_MB,
                YarnConfiguration.DEFAULT_NM_MIN_PER_DISK_FREE_SPACE_MB)
            : 0;
    double used = Math.min(100, Math.max(0, fullPercent)); // as YARN takes what is out of range
    return new DiskReserve(ABOVE_BYTES, Math.max(0, fullMb) << 20, (100 - used) / 100);
  }
}
