package io.sluice.local.conf;

import io.sluice.memory.conf.MemorySettings;
import io.sluice.node.conf.SettingsPage;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The documentation's table of settings is what the code says. */
final class LocalSettingsPageTest {
  @Test
  void committedPageIsWhatTheCodeSays() throws IOException {
    new SettingsPage(
            Path.of("..", "docs", "local-settings.md"),
            "Settings for jobs and files of one process",
            "local-engine",
            "LocalSettingsPageTest")
        .with("Of a job", "In `mapred-site.xml`, or `-D` on the command line.", LocalSettings.all())
        .with(
            "Of the process",
            "In `core-site.xml` or `mapred-site.xml`, or `-D`; read once, by what needs it first.",
            MemorySettings.all())
        .check();
  }
}
