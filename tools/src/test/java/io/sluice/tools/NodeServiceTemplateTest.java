package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.conf.SettingsTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The template of a node service's options has every option, with the default of the command. */
class NodeServiceTemplateTest {
  private static final Path TEMPLATE = Path.of("..", "dist", "conf", "node-service.conf.template");
  private static final String DIRECTORY = "--dir=/dev/shm/sluice";

  private static CommandLine command() {
    return new CommandLine(new NodeServiceCommand());
  }

  private static List<OptionSpec> options() {
    return command().getCommandSpec().options().stream()
        .filter(option -> !option.usageHelp() && !option.versionHelp())
        .toList();
  }

  @Test
  void committedTemplateIsWhatTheCommandSays() throws IOException {
    SettingsTemplate template =
        new SettingsTemplate(
            TEMPLATE,
            "tools",
            "NodeServiceTemplateTest",
            "Options of Sluice's node service: copy this to /etc/sluice/node-service.conf, where"
                + " sluice-node.service reads it. Elsewhere name it on the command line:"
                + " node-service @FILE",
            "A line behind a # changes nothing: it has the default, or else the form of a value.");
    for (OptionSpec option : options()) {
      template.with(meaning(option), line(option));
    }
    template.check();
  }

  private static String meaning(OptionSpec option) {
    Iterable<String> candidates = option.completionCandidates();
    return String.join(" ", option.description())
        .replace(
            "${COMPLETION-CANDIDATES}", candidates == null ? "" : String.join(", ", candidates));
  }

  private static String line(OptionSpec option) {
    if (option.required()) {
      assertTrue(DIRECTORY.startsWith(option.longestName() + "="), option.longestName());
      return DIRECTORY;
    }
    if (option.arity().max() == 0) {
      return "#" + option.longestName();
    }
    String value = option.defaultValue();
    return "#"
        + option.longestName()
        + "="
        + (value == null || value.isEmpty() ? option.paramLabel() : value);
  }

  @Test
  void itWorksAsItIsAndWithEveryDefault() throws IOException {
    List<String> withDefaults = new ArrayList<>();
    for (String line : Files.readAllLines(TEMPLATE)) {
      String option = line.replaceFirst("^#(?=--)", "");
      if (option.startsWith("--") && !option.matches(".*=[A-Z=]+|--background-copy")) {
        withDefaults.add(option);
      }
    }
    assertTrue(withDefaults.size() > 5, withDefaults::toString);
    Map<String, Object> asItIs = values("@" + TEMPLATE);
    assertEquals(asItIs, values(withDefaults.toArray(String[]::new)));
    assertEquals(asItIs, values(DIRECTORY));
  }

  private static Map<String, Object> values(String... arguments) {
    CommandLine command = command();
    command.parseArgs(arguments);
    Map<String, Object> values = new TreeMap<>();
    for (OptionSpec option : command.getCommandSpec().options()) {
      values.put(option.longestName(), Objects.toString(option.getValue()));
    }
    return values;
  }
}
