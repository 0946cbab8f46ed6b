package io.sluice.spark;

import io.sluice.spark.conf.ServiceChoice;
import io.sluice.spark.service.SluiceDataIO;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.util.Utils;

/** Whether an application can be shuffled by Sluice. */
public final class ApplicationEligibility {
  /** What files of shuffles are written with, and what the driver knows of them. */
  public static final String IO_PLUGIN = "spark.shuffle.sort.io.plugin.class";

  /** Of which Sluice's own is one more, that it sets itself. */
  private static final String STOCK_IO_PLUGIN =
      "org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO";

  private ApplicationEligibility() {}

  /** Why the application is left to Spark's own shuffle; empty if it need not be. */
  public static Optional<String> declineReason(SparkConf conf) {
    if (Utils.isPushBasedShuffleEnabled(conf, true, false)) {
      return Optional.of(
          "spark.shuffle.push.enabled is on, and push-based merging takes files from map tasks");
    }
    if (ServiceChoice.isExternalServiceOn(conf) && ServiceChoice.of(conf).isEmpty()) {
      return Optional.of(
          "spark.shuffle.service.enabled is on, so map outputs must outlive their executors, and"
              + " spark.sluice.service names no service of Sluice that could keep them");
    }
    if (conf.getBoolean("spark.shuffle.useOldFetchProtocol", false)) {
      return Optional.of(
          "spark.shuffle.useOldFetchProtocol is on, with which attempts of a task have one name for"
              + " their outputs");
    }
    String plugin = conf.get(IO_PLUGIN, STOCK_IO_PLUGIN);
    if (!plugin.equals(STOCK_IO_PLUGIN) && !plugin.equals(SluiceDataIO.class.getName())) {
      return Optional.of(
          IO_PLUGIN + " is " + plugin + ", through which Sluice's map outputs would not go");
    }
    return Optional.empty();
  }
}
