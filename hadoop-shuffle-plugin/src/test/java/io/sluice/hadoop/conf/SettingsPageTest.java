package io.sluice.hadoop.conf;

import io.sluice.node.conf.SettingsPage;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The documentation's table of settings is what the code says. */
final class SettingsPageTest {
  @Test
  void committedPageIsWhatTheCodeSays() throws IOException {
    new SettingsPage(
            Path.of("..", "docs", "settings.md"),
            "Settings for Hadoop",
            "hadoop-shuffle-plugin",
            "SettingsPageTest")
        .with("Of a job", "In `mapred-site.xml`, or `-D` on the command line.", JobSettings.all())
        .with(
            "Of a NodeManager",
            "In `yarn-site.xml`; read when its service starts.",
            NodeSettings.all())
        .with(
            "Of a NodeManager's RDMA network",
            "In `yarn-site.xml`, for connections over `verbs`. Readers need none of them: the service"
                + " tells them its values.",
            NodeSettings.VERBS.all())
        .check();
  }
}
