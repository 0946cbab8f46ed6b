package io.sluice.spark.conf;

import io.sluice.node.conf.SettingsPage;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The documentation's table of settings is what the code says. */
class SparkSettingsPageTest {
  @Test
  void committedPageIsWhatTheCodeSays() throws IOException {
    new SettingsPage(
            Path.of("..", "docs", "spark-settings.md"),
            "Settings for Spark",
            "spark-shuffle-manager",
            "SparkSettingsPageTest")
        .with(
            "Of an application",
            "With `--conf`, or in `spark-defaults.conf`; read by every executor when it first"
                + " needs them.",
            SparkSettings.all())
        .with(
            "Of the RDMA network",
            "Set like those above; for connections over `verbs` to executors' pools. Readers need none"
                + " of them: the pool tells them its values.",
            SparkSettings.VERBS.all())
        .check();
  }
}
