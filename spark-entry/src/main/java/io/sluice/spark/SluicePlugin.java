package io.sluice.spark;

import io.sluice.spark.entry.Java17;
import java.util.Optional;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Switches Sluice on and shows it in Spark's UI: {@code
 * spark.plugins=io.sluice.spark.SluicePlugin}. It is the name that Spark loads; {@code PluginParts}
 * does the work. Where Java is older than 17, nothing does.
 *
 * <p>Thread contract: immutable; Spark's for its two parts. Ownership: Spark shuts the parts down.
 */
public final class SluicePlugin implements SparkPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(SluicePlugin.class);

  private final Optional<SparkPlugin> parts;

  /** Called by Spark. */
  public SluicePlugin() {
    parts = Java17.make(SparkPlugin.class, "io.sluice.spark.PluginParts");
    if (!parts.isPresent()) {
      LOG.warn("Sluice's plugin does nothing here: {}", Java17.reason());
    }
  }

  /** Spark does without a part that is null. */
  @Override
  public DriverPlugin driverPlugin() {
    return parts.map(SparkPlugin::driverPlugin).orElse(null);
  }

  /** Spark does without a part that is null. */
  @Override
  public ExecutorPlugin executorPlugin() {
    return parts.map(SparkPlugin::executorPlugin).orElse(null);
  }
}
