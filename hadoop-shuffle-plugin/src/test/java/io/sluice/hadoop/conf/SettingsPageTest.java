package io.sluice.hadoop.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.conf.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The documentation's table of settings is what the code says. */
final class SettingsPageTest {
  private static final String REGENERATE = "sluice.regenerate";
  private static final String COMMAND =
      "mvn -pl hadoop-shuffle-plugin -am test -Dtest=SettingsPageTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.regenerate=true";
  private static final Path PAGE = Path.of("..", "docs", "settings.md");

  @Test
  void committedPageIsWhatTheCodeSays() throws IOException {
    String page = render();
    if (Boolean.getBoolean(REGENERATE)) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, page);
    }
    assertEquals(
        page, Files.readString(PAGE), () -> PAGE + " is out of date; regenerate it: " + COMMAND);
  }

  private static String render() {
    StringBuilder page = new StringBuilder();
    page.append("# Settings\n\n");
    page.append("<!-- Generated from JobSettings and NodeSettings; do not edit. Regenerate:\n");
    page.append("     ").append(COMMAND).append(" -->\n\n");
    page.append("## Of a job\n\n");
    page.append("In `mapred-site.xml`, or `-D` on the command line.\n\n");
    table(page, "job", JobSettings.all());
    page.append("\n## Of a NodeManager\n\n");
    page.append("In `yarn-site.xml`; read when its service starts.\n\n");
    table(page, "NodeManager", NodeSettings.all());
    return page.toString();
  }

  private static void table(StringBuilder page, String where, List<Setting<?>> settings) {
    page.append("| name | where | default | meaning |\n");
    page.append("|---|---|---|---|\n");
    for (Setting<?> setting : settings) {
      String defaultText = setting.defaultText();
      page.append("| `")
          .append(setting.name())
          .append("` | ")
          .append(where)
          .append(" | ")
          .append(defaultText.contains("`") ? defaultText : "`" + defaultText + "`")
          .append(" | ")
          .append(setting.meaning())
          .append(" |\n");
    }
  }
}
