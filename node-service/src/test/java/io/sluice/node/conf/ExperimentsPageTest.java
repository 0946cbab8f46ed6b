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
            "Of a NodeManager",
            "Tests and measurements need these; a cluster should not. In `yarn-site.xml`.\n"
                + "`sluice.pool.medium` may also be `emulated:n`: persistent memory emulated on"
                + " memory, where every write takes\n"
                + "n times longer, 10 by default.",
            LimitSettings.HADOOP.forExperiments())
        .with(
            "Of a Spark application",
            "With `--conf`. `spark.sluice.pool.medium` may also be `emulated:n`.",
            LimitSettings.SPARK.forExperiments())
        .check();
  }
}
