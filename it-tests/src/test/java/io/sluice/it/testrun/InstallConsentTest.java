package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.Workspace;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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

  /** What the script uses that every machine has; nothing else of this one is found. */
  private static final List<String> TOOLS =
      List.of(
          "bash", "cat", "comm", "date", "dirname", "env", "find", "flock", "grep", "mkdir", "mv",
          "rm", "script", "sed", "sh", "sleep", "sort", "tail", "tee", "timeout", "touch", "true");

  private static final Pattern COMMAND = Pattern.compile("sluice\"? (demo|test)\\b[^#\n]*");

  @TempDir Path directory;
  private Path calls;

  @BeforeEach
  void lackEverything() throws IOException {
    calls = directory.resolve("calls");
    Files.createFile(calls);
    Files.copy(Workspace.find().root().resolve("sluice"), directory.resolve("sluice"));
    Files.createDirectory(directory.resolve("bin"));
    for (String tool : TOOLS) {
      Optional<Path> found = onPath(tool);
      if (found.isPresent()) {
        Files.createSymbolicLink(directory.resolve("bin").resolve(tool), found.get());
      }
    }
    program("id", "echo 1000");
    program("uname", "echo x86_64");
    program("ldconfig", "exit 0");
    program("dpkg-query", "[ ! -e dpkg ] || cat dpkg");
    program("python3", "exit 1");
    program("mvn", "exit 1");
    program("apt-get", "case \" $* \" in *' install '*) echo 'ii  libucx0' >dpkg ;; esac");
    sudo("");
  }

  /** A sudo that does this first. */
  private void sudo(String first) throws IOException {
    program(
        "sudo",
        first,
        "while [ \"${1#-}\" != \"$1\" ]; do shift; done",
        "[ $# = 0 ] || exec \"$@\"");
  }

  private static Optional<Path> onPath(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(directory -> Path.of(directory, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Waits for an answer or a password no longer than a test may. */
  private void waitASecond() throws IOException {
    Path script = directory.resolve("sluice");
    String text = Files.readString(script);
    String impatient = text.replace("answer_s=300", "answer_s=1");
    assertNotEquals(text, impatient);
    Files.writeString(script, impatient);
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
        "model",
        "model --runs 1",
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

    assertTrue(
        output.contains(
            "sudo apt-get update && sudo apt-get install --no-install-recommends libucx0 "),
        output);
  }

  @Test
  void rootNeedsNoSudoForIt() throws Exception {
    program("id", "echo 0");
    String output = run("./sluice demo").output;

    assertTrue(output.contains(": apt-get update && apt-get install "), output);
  }

  @Test
  void installInstallsWithoutAQuestion() throws Exception {
    Run run = run("./sluice demo --install");

    assertTrue(wasCalled("sudo -n env .* apt-get .*install .*libucx0 "), calls());
    assertTrue(wasCalled("mvn "), run.output);
    assertTrue(run.output.contains("Running sudo apt-get update && sudo apt-get install"));
    assertEquals(
        List.of("libucx0"), Files.readAllLines(directory.resolve("target/sluice-installed")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lab --install --require", "--install lab --require"})
  void installFetchesWhatTheLabNeedsToo(String arguments) throws Exception {
    run("./sluice " + arguments);

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
        "--no-install demo",
        "bench micro",
        "bench micro Sort",
        "bench chain",
        "bench scaling --runs 1",
        "bench exchange --shapes 8x2",
        "model --no-install",
        "model --measured model.json",
        "model --measured=model.json",
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
  void withoutSparkItSaysThatTestsOfItFail() throws Exception {
    Run run = run("./sluice test --no-install");

    assertTrue(run.output.contains("without Spark 4.2.0"), run.output);
    assertTrue(run.output.contains("what runs it will fail"), run.output);
    assertTrue(run("./sluice test").output.contains("what runs Spark fails"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"foreign", "foreign SPARK_PYTHON_MLLIB", "foreign SPARK_GRAPHX"})
  void aSparkWithoutPythonIsMissingWhereOthersProgramsRun(String arguments) throws Exception {
    Path spark = Files.createDirectories(directory.resolve(".cache/sluice/spark/4.2.0"));
    Run run = run("./sluice " + arguments);

    assertEquals(3, run.status, run.output);
    assertTrue(run.output.contains("stock Spark 4.2.0"), run.output);
    Files.createDirectory(spark.resolve("python"));
    assertNotEquals(3, run("./sluice " + arguments).status);
  }

  @Test
  void noOtherCommandNeedsSparksPython() throws Exception {
    Files.createDirectories(directory.resolve(".cache/sluice/spark/4.2.0"));

    assertFalse(run("./sluice foreign AVRO").output.contains("does not have"));
    assertFalse(run("./sluice spark-suites").output.contains("does not have"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dnf", "none"})
  void whereTheLabHasNoPackagesItsToolsAreNamedAndItGoesOn(String manager) throws Exception {
    Files.delete(directory.resolve("bin/apt-get"));
    if (manager.equals("dnf")) {
      program("dnf", "exit 0");
    }
    Run run = run("./sluice lab");

    assertTrue(run.output.contains("its packages are known for Debian alone: qemu-"), run.output);
    assertTrue(run.output.contains(", librdmacm.so.1, python3 with venv"), run.output);
    assertFalse(run.output.contains("does not have"), run.output);
    assertTrue(wasCalled("mvn "), run.output);
  }

  @Test
  void whereAGuestCannotBootVirtmeIsNotNeeded() throws Exception {
    program("uname", "echo aarch64");

    Run lab = run("./sluice lab");
    assertFalse(lab.output.contains("does not have"), lab.output);
    assertTrue(wasCalled("mvn "), lab.output);
    Run test = run("./sluice test");
    assertEquals(3, test.status, test.output);
    assertFalse(test.output.contains("virtme-ng"), test.output);
    assertFalse(test.output.contains("qemu"), test.output);
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

    assertTrue(wasCalled("sudo -n env .* apt-get .*install .*libucx0 "), calls());
    assertTrue(wasCalled("mvn "), run.output);
  }

  @Test
  void atATerminalItAsksThoughItsOutputGoesIntoAPipe() throws Exception {
    Run run = atATerminal("./sluice demo 2>&1 | cat >log", "y");

    assertTrue(run.output.contains("does not have"), run.output);
    assertTrue(run.output.contains("Install it? [y]es"), run.output);
    assertTrue(wasCalled("sudo -n env .* apt-get .*install .*libucx0 "), calls());
  }

  @Test
  void inTheBackgroundOfATerminalItDoesNotAsk() throws Exception {
    Run run = atATerminal("bash -c 'set -m; ./sluice demo & wait $!'", "y");

    assertEquals(3, run.status, run.output);
    assertTrue(run.output.contains("--install installs all of this"), run.output);
    assertEquals(List.of(), changes());
  }

  @Test
  void whoeverDoesNotAnswerHasQuit() throws Exception {
    waitASecond();
    Run run = atATerminal("./sluice demo", Redirect.PIPE); // which stays open

    assertEquals(3, run.status, run.output);
    assertTrue(run.output.contains("Nothing was installed."), run.output);
    assertEquals(List.of(), changes());
  }

  @Test
  void sudoIsAskedForItsPasswordOnce() throws Exception {
    sudo("[ \"$1\" != -v ] || touch password; [ -e password ] || exit 1");
    Run run = atATerminal("y");

    assertTrue(wasCalled("sudo -v"), calls());
    assertTrue(wasCalled("apt-get .*install .*libucx0 "), calls());
    assertTrue(wasCalled("mvn "), run.output);
  }

  @Test
  void aSudoThatKeepsNoPasswordAsksItself() throws Exception {
    sudo("[ \"$1\" != -n ] || exit 1");
    Run run = atATerminal("y");

    assertTrue(wasCalled("sudo env .* apt-get .*install .*libucx0 "), calls());
    assertTrue(wasCalled("mvn "), run.output);
  }

  @Test
  void aPasswordThatSudoRefusesStops() throws Exception {
    sudo("exit 1");
    Run run = atATerminal("y");

    assertEquals(3, run.status, run.output);
    assertTrue(run.output.contains("sudo did not agree; nothing was installed"), run.output);
    assertEquals(List.of(), changes());
  }

  @Test
  void whoeverGivesNoPasswordHasQuit() throws Exception {
    waitASecond();
    sudo("[ \"$1\" != -v ] || exec sleep 10; exit 1");
    Run run = atATerminal("y");

    assertEquals(3, run.status, run.output);
    assertTrue(run.output.contains("no password for sudo within 1 s"), run.output);
    assertEquals(List.of(), changes());
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
      boolean needsNothing = command.contains(" demo local");
      assertTrue(needsNothing || command.contains(" --install"), command);
    }
  }

  private Run atATerminal(String answer) throws Exception {
    return atATerminal("./sluice demo", answer);
  }

  private Run atATerminal(String command, String answer) throws Exception {
    Path input = Files.writeString(directory.resolve("answer"), answer + "\n");
    return atATerminal(command, Redirect.from(input.toFile()));
  }

  private Run atATerminal(String command, Redirect input) throws Exception {
    assumeTrue(onPath("script").isPresent(), "no program script, which makes a terminal");
    return run(input, "script", "-qec", command, "/dev/null");
  }

  private Run run(String command) throws Exception {
    return run(Redirect.from(new File("/dev/null")), command.split(" "));
  }

  private Run run(Redirect input, String... command) throws Exception {
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
    builder.environment().put("PATH", directory + "/bin");
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
