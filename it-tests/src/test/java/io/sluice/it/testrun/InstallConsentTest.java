package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.Workspace;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The script on a machine that lacks everything and whose programs only write down what they were
 * asked to do: nothing is installed or fetched unless somebody has agreed.
 */
class InstallConsentTest {
  private static final long DEADLINE_S = 60;
  private static final Pattern CHANGES =
      Pattern.compile("apt-get |\\binstall\\b|\\bdownload\\b|-m venv");
  private static final Pattern COMMAND = Pattern.compile("sluice\"? (demo|test)\\b[^#\n]*");

  @TempDir Path directory;
  private Path calls;

  @BeforeEach
  void lackEverything() throws IOException {
    calls = directory.resolve("calls");
    Files.createFile(calls);
    Files.copy(Workspace.find().root().resolve("sluice"), directory.resolve("sluice"));
    Files.createDirectory(directory.resolve("bin"));
    program("id", "echo 1000");
    program("ldconfig", "exit 0");
    program("dpkg-query", "[ ! -e dpkg ] || cat dpkg");
    program("python3", "exit 1");
    program("mvn", "exit 1");
    program("apt-get", "case \" $* \" in *' install '*) echo 'ii  libucx0' >dpkg ;; esac");
    program("sudo", "while [ \"${1#-}\" != \"$1\" ]; do shift; done", "[ $# = 0 ] || exec \"$@\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "test",
        "test --all",
        "lab",
        "lab transport",
        "demo",
        "demo --size 256m",
        "bench",
        "demo spark",
        "bench spark",
        "matrix spark",
        "spark-suites"
      })
  void withoutATerminalItSaysWhatIsMissingAndStops(String arguments) throws Exception {
    Run run = run("./sluice " + arguments);

    assertEquals(3, run.status, run.output);
    assertEquals(List.of(), changes());
    assertFalse(wasCalled("mvn "), "the question comes before the build");
    assertTrue(run.output.contains("does not have"), run.output);
    assertTrue(run.output.contains("--install installs all of this"), run.output);
  }

  @Test
  void whatItWouldInstallIsACommandToCopy() throws Exception {
    String output = run("./sluice demo").output;

    assertTrue(output.contains("apt-get install --no-install-recommends libucx0 "), output);
  }

  @Test
  void installInstallsWithoutAQuestion() throws Exception {
    Run run = run("./sluice demo --install");

    assertTrue(wasCalled("sudo -n env .* apt-get .*install .*libucx0 "), calls());
    assertTrue(wasCalled("mvn "), run.output);
    assertTrue(run.output.contains("Running sudo -n apt-get update && sudo -n apt-get install"));
    assertEquals(
        List.of("libucx0"), Files.readAllLines(directory.resolve("target/sluice-installed")));
  }

  @Test
  void installFetchesWhatTheLabNeedsToo() throws Exception {
    run("./sluice lab --install --require");

    assertTrue(wasCalled("python3 -m venv .*/target/lab/venv"), calls());
    assertTrue(wasCalled("python3 -m venv .*/sluice/spark/.fetching/venv"), calls());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo --no-install",
        "test --no-install",
        "lab --no-install",
        "demo spark --no-install",
        "doctor",
        "demo --help",
        "matrix"
      })
  void whatIsDeclinedOrNotNeededIsNotAskedFor(String arguments) throws Exception {
    Run run = run("./sluice " + arguments);

    assertEquals(List.of(), changes());
    assertTrue(wasCalled("mvn "), run.output);
    assertFalse(run.output.contains("does not have"), run.output);
  }

  @Test
  void atATerminalNoGoesOn() throws Exception {
    Run run = atATerminal("n");

    assertTrue(run.output.contains("Install it? [y]es"), run.output);
    assertEquals(List.of(), changes());
    assertTrue(wasCalled("mvn "), run.output);
  }

  @Test
  void atATerminalYesInstalls() throws Exception {
    Run run = atATerminal("y");

    assertTrue(wasCalled("sudo env .* apt-get .*install .*libucx0 "), calls());
    assertTrue(wasCalled("mvn "), run.output);
  }

  @Test
  void atATerminalQuitStops() throws Exception {
    Run run = atATerminal("q");

    assertEquals(3, run.status, run.output);
    assertEquals(List.of(), changes());
    assertFalse(wasCalled("mvn "), run.output);
  }

  /** Nobody is there to be asked where these run. */
  @Test
  void whatTheReadmeAndContinuousIntegrationRunInstalls() throws IOException {
    Path root = Workspace.find().root();
    String firstBlock = Files.readString(root.resolve("README.md")).split("```")[1];
    List<String> commands =
        Stream.of(firstBlock, Files.readString(root.resolve(".ci/run")))
            .flatMap(text -> COMMAND.matcher(text).results().map(found -> found.group()))
            .toList();

    assertEquals(3, commands.size(), commands.toString());
    for (String command : commands) {
      assertTrue(command.contains(" --install"), command);
    }
  }

  private Run atATerminal(String answer) throws Exception {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(path -> Files.isExecutable(Path.of(path, "script"))),
        "no program script, which makes a terminal");
    Path input = Files.writeString(directory.resolve("answer"), answer + "\n");
    return run(input.toFile(), "script", "-qec", "./sluice demo", "/dev/null");
  }

  private Run run(String command) throws Exception {
    return run(new File("/dev/null"), command.split(" "));
  }

  private Run run(File input, String... command) throws Exception {
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectInput(input)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("HOME", directory.toString());
    builder.environment().remove("XDG_CACHE_HOME");
    builder.environment().merge("PATH", "", (path, none) -> directory + "/bin:" + path);
    Process process = builder.start();
    boolean ended = process.waitFor(DEADLINE_S, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertTrue(ended, Files.readString(output));
    return new Run(process.exitValue(), Files.readString(output));
  }

  private record Run(int status, String output) {}

  private void program(String name, String... lines) throws IOException {
    Path file = directory.resolve("bin").resolve(name);
    Files.writeString(
        file,
        "#!/bin/sh\necho \"%s $*\" >>'%s'\n%s\n".formatted(name, calls, String.join("\n", lines)));
    assertTrue(file.toFile().setExecutable(true));
  }

  private boolean wasCalled(String beginning) throws IOException {
    Pattern pattern = Pattern.compile(beginning);
    return Files.readAllLines(calls).stream().map(pattern::matcher).anyMatch(Matcher::lookingAt);
  }

  private List<String> changes() throws IOException {
    return Files.readAllLines(calls).stream().filter(line -> CHANGES.matcher(line).find()).toList();
  }

  private String calls() throws IOException {
    return Files.readString(calls);
  }
}
