package io.sluice.spark;

import io.sluice.spark.plugin.DriverPart;
import io.sluice.spark.plugin.ExecutorPart;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Switches Sluice on and shows it in Spark's UI: {@code
 * spark.plugins=io.sluice.spark.SluicePlugin}.
 *
 * <p>Thread contract: stateless.
 */
public final class SluicePlugin implements SparkPlugin {
  /** Called by Spark. */
  public SluicePlugin() {}

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPart(SluiceShuffleManager.class.getName());
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorPart();
  }
}
