package io.sluice.node.conf;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The documentation's table of settings for experiments is what the code says. */
class ExperimentsPageTest {
  @Test
  void committedPageIsWhatTheCodeSays() throws IOException {
    new SettingsPage(
            Path.of("..", "docs", "experiments.md"),
            "Settings for experiments",
            "node-service",
            "ExperimentsPageTest")
        .with(
            "NodeManager",
            "Tests and measurements need these settings; a cluster should not set them. They go"
                + " into `yarn-site.xml`.\n"
                + "`sluice.pool.medium` may also be `emulated:n`: persistent memory emulated on"
                + " memory. Every write then takes\n"
                + "n times as long, 10 by default.",
            LimitSettings.HADOOP.forExperiments())
        .with(
            "Spark application",
            "Set these with `--conf`. `spark.sluice.pool.medium` may also be `emulated:n`.",
            LimitSettings.SPARK.forExperiments())
        .check();
  }
}
