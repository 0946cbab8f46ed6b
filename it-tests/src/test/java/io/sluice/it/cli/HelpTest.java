package io.sluice.it.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.testrun.LabRun;
import io.sluice.rdma.testing.PlainWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The texts that {@code ./sluice COMMAND --help} prints without a build are what the code says of
 * its options. To write them anew, run this test with {@code -Dsluice.regenerate=true}.
 */
class HelpTest {
  private static final Path ROOT = Workspace.find().root();
  private static final Path TEXTS = ROOT.resolve("setup/help");

  /** Of commands that need no JVM of this command line; their texts are written by hand. */
  private static final Set<String> OF_THE_LAUNCHER =
      Set.of(
          "sluice/docs.txt",
          "sluice/fetch-spark.txt",
          "sluice/images.txt",
          "sluice/release.txt",
          "sluice/run.txt");

  private static final Pattern LISTED = Pattern.compile("(?m)^  ([a-z-]+(?: [a-z]+)?) {2,}");
  private static final Pattern PAGE = Pattern.compile("docs/[\\w/-]+\\.(md|json)");

  private static final Pattern OPTION = Pattern.compile("--[a-z-]+");

  /** As the launcher finds values in a help text. */
  private static final Pattern LABEL = Pattern.compile("[A-Zx:\\[\\]]+");

  private final Map<String, CommandLine> commands = new TreeMap<>();

  HelpTest() {
    add("sluice", Sluice.commandLine(Sluice.class));
  }

  private void add(String parent, CommandLine command) {
    command
        .getSubcommands()
        .forEach(
            (name, each) -> {
              commands.put(parent + "/" + name + ".txt", each);
              add(parent + "/" + name, each);
            });
  }

  @Test
  void eachTextIsWhatTheCodeSays() throws IOException {
    for (Map.Entry<String, CommandLine> command : commands.entrySet()) {
      Path text = TEXTS.resolve(command.getKey());
      String said = command.getValue().getUsageMessage(Ansi.OFF);
      if (Boolean.getBoolean("sluice.regenerate")) {
        Files.createDirectories(text.getParent());
        Files.writeString(text, said);
      }
      assertEquals(said, Files.readString(text), text + "; -Dsluice.regenerate=true writes it");
    }
  }

  @Test
  void eachTextIsOfACommand() throws IOException {
    Set<String> known = new TreeSet<>(commands.keySet());
    known.addAll(OF_THE_LAUNCHER);
    known.add("sluice.txt");
    assertEquals(known, texts());
  }

  @Test
  void theFirstTextListsEveryCommand() throws IOException {
    Set<String> listed =
        LISTED
            .matcher(Files.readString(TEXTS.resolve("sluice.txt")))
            .results()
            .map(found -> "sluice/" + found.group(1).replace(' ', '/') + ".txt")
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(texts().containsAll(listed), listed.toString());
    Set<String> unlisted =
        texts().stream()
            .filter(text -> Path.of(text).getNameCount() == 2)
            .map(text -> text.replaceFirst("\\.txt", ""))
            .filter(text -> listed.stream().noneMatch(line -> line.matches(text + "[./].*")))
            .collect(Collectors.toSet());
    assertEquals(Set.of(), unlisted);
  }

  /** The launcher looks at the values of those labels that it knows. */
  @Test
  void eachValueHasALabel() {
    commands.forEach(
        (name, command) -> {
          for (ArgSpec each : command.getCommandSpec().args()) {
            assertTrue(
                each.hidden()
                    || each.arity().max() == 0
                    || LABEL.matcher(each.paramLabel()).matches(),
                name + ": " + each);
          }
        });
  }

  @Test
  void eachConflictIsOfOptionsThatItsCommandTakes() throws IOException {
    for (String line : conflicts()) {
      String[] parts = line.split(": ", 3);
      CommandLine command = commands.get("sluice/" + parts[0].replace(' ', '/') + ".txt");
      OPTION
          .matcher(parts[1])
          .results()
          .forEach(
              option ->
                  assertNotNull(
                      command.getCommandSpec().findOption(option.group()), option + line));
    }
  }

  @Test
  void theLabsSuitesInConflictsAreAllThatThereAre() throws IOException {
    List<String> ofOneHost = new ArrayList<>(LabRun.ids(1));
    ofOneHost.removeAll(LabRun.ids(2));
    String ofTwoHosts = String.join(", ", LabRun.ids(2)).replaceFirst(", (?=[^,]*$)", " and ");
    for (String begin :
        List.of(
            "lab: --hosts=2 %s: 2 hosts run %s alone"
                .formatted(String.join("|", ofOneHost), ofTwoHosts),
            "lab: shell %s: ".formatted(String.join("|", LabRun.ids(1))))) {
      assertTrue(conflicts().stream().anyMatch(line -> line.startsWith(begin)), begin);
    }
  }

  private static List<String> conflicts() throws IOException {
    return Files.readAllLines(ROOT.resolve("setup/conflicts.txt")).stream()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }

  @Test
  void descriptionsAreInPlainWords() throws IOException {
    Map<String, String> said = new TreeMap<>();
    commands.forEach((name, command) -> said.put(name, descriptions(command.getCommandSpec())));
    for (String text : OF_THE_LAUNCHER) {
      said.put(text, Files.readString(TEXTS.resolve(text)).replace("\n  ", "\n\n"));
    }
    List<String> complaints = new ArrayList<>();
    said.forEach(
        (name, text) ->
            PlainWords.complaints(text).forEach(each -> complaints.add(name + ": " + each)));
    assertEquals("", String.join("\n", complaints));
  }

  private static String descriptions(CommandSpec command) {
    return Stream.concat(
            Stream.of(command.usageMessage().description()),
            command.args().stream().flatMap(each -> Stream.of(each.description())))
        .map(each -> each.replace("%n", " "))
        .collect(Collectors.joining("\n\n"));
  }

  @Test
  void eachReleaseOfSparkThatCanBeFetchedIsNamed() throws IOException {
    String text = Files.readString(TEXTS.resolve("sluice/fetch-spark.txt"));
    SparkDistribution.VERSIONS.forEach(version -> assertTrue(text.contains(version), version));
    assertTrue(text.contains("default: " + SparkDistribution.DEFAULT_VERSION), text);
  }

  @Test
  void eachPageThatATextNamesIsThere() throws IOException {
    for (String text : texts()) {
      PAGE.matcher(Files.readString(TEXTS.resolve(text)))
          .results()
          .map(MatchResult::group)
          .forEach(page -> assertTrue(Files.exists(ROOT.resolve(page)), text + ": " + page));
    }
  }

  private static Set<String> texts() throws IOException {
    try (Stream<Path> files = Files.walk(TEXTS)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> TEXTS.relativize(file).toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
