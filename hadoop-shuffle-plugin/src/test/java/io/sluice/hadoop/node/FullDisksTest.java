package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.spill.store.StoreConfig.DiskReserve;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each way in which YARN calls a disk full. */
final class FullDisksTest {
  private static final String CHECKER = "yarn.nodemanager.disk-health-checker.";

  @ParameterizedTest
  @CsvSource({
    "0, 0.1,", // stock's defaults
    "0, 0.25, max-disk-utilization-per-disk-percentage=75",
    "0, 0.0, max-disk-utilization-per-disk-percentage=120",
    "500, 0.1, min-free-space-per-disk-mb=500",
    "500, 0.0, min-free-space-per-disk-mb=500 disk-utilization-threshold.enabled=false",
    "0, 0.1, min-free-space-per-disk-mb=500 disk-free-space-threshold.enabled=false",
    "0, 0.0, min-free-space-per-disk-mb=500 enable=false"
  })
  void theTierStopsBefore(long fullMb, double fullShare, String settings) {
    Configuration conf = new Configuration(false);
    for (String setting : settings == null ? new String[0] : settings.split(" ")) {
      conf.set(CHECKER + setting.split("=")[0], setting.split("=")[1]);
    }
    assertEquals(
        new DiskReserve(1L << 30, fullMb << 20, fullShare), NodeManagerPlan.diskReserve(conf));
  }
}
