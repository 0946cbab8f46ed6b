package io.sluice.node.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.testing.PlainWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A page of documentation that is generated from the settings of a module, and committed. */
public final class SettingsPage {
  private static final String REGENERATE = "sluice.regenerate";

  private final Path page;
  private final String command;
  private final StringBuilder text = new StringBuilder();

  /**
   * An empty page.
   *
   * @param page the committed file
   * @param module whose test makes it
   * @param test the test's name
   */
  public SettingsPage(Path page, String title, String module, String test) {
    this.page = page;
    this.command =
        "mvn -pl %s -am test -Dtest=%s -Dsurefire.failIfNoSpecifiedTests=false -D%s=true"
            .formatted(module, test, REGENERATE);
    text.append("# ").append(title).append("\n\n");
    text.append("<!-- Generated from the code; do not edit. Regenerate:\n");
    text.append("     ").append(command).append(" -->\n");
  }

  /** Appends a heading, a sentence and a table. */
  public SettingsPage with(String heading, String sentence, List<Setting<?>> settings) {
    text.append("\n## ").append(heading).append("\n\n");
    assertEquals(List.of(), PlainWords.complaints(sentence), heading);
    text.append(sentence).append("\n\n");
    text.append("| name | default | meaning |\n");
    text.append("|---|---|---|\n");
    for (Setting<?> setting : settings) {
      assertEquals(List.of(), PlainWords.complaints(setting.meaning()), setting.name());
      String shown = setting.defaultText();
      text.append("| `")
          .append(setting.name())
          .append("` | ")
          .append(shown.contains("`") ? shown : "`" + shown + "`")
          .append(" | ")
          .append(setting.meaning())
          .append(" |\n");
    }
    return this;
  }

  /** Fails if the committed page is another one; writes it instead when told to. */
  public void check() throws IOException {
    if (Boolean.getBoolean(REGENERATE)) {
      Files.writeString(page, text);
    }
    assertEquals(
        text.toString(),
        Files.readString(page),
        () -> page + " is out of date; regenerate it: " + command);
  }
}
