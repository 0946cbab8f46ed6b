package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.testrun.BareMachine.Run;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
  private static final Pattern COMMAND = Pattern.compile("sluice\"? (demo|test)\\b[^#\n]*");

  @TempDir Path directory;
  private BareMachine machine;

  @BeforeEach
  void lackEverything() throws IOException {
    machine = new BareMachine(directory);
  }

  /** Waits for an answer or a password no longer than a test may. */
  private void waitASecond() throws IOException {
    Path script = directory.resolve("setup/needs.sh");
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
        "spark-suites",
        "docs",
        "docs --serve",
        "images"
      })
  void withoutATerminalItSaysWhatIsMissingAndStops(String arguments) throws Exception {
    Run run = machine.run("./sluice " + arguments);

    assertEquals(3, run.status(), run.output());
    assertEquals(List.of(), machine.changes());
    assertFalse(machine.wasCalled("mvn "), "the question comes before the build");
    assertTrue(run.output().contains("does not have"), run.output());
    assertTrue(run.output().contains("--install installs all of this"), run.output());
  }

  @Test
  void whatItWouldInstallIsACommandToCopy() throws Exception {
    String output = machine.run("./sluice demo").output();

    assertTrue(
        output.contains(
            "sudo apt-get update && sudo apt-get install --no-install-recommends libucx0 "),
        output);
  }

  @Test
  void rootNeedsNoSudoForIt() throws Exception {
    machine.program("id", "echo 0");
    String output = machine.run("./sluice demo").output();

    assertTrue(output.contains(": apt-get update && apt-get install "), output);
  }

  @Test
  void installInstallsWithoutAQuestion() throws Exception {
    Run run = machine.run("./sluice demo --install");

    assertTrue(machine.wasCalled("sudo -n env .* apt-get .*install .*libucx0 "), machine.calls());
    assertTrue(machine.wasCalled("mvn "), run.output());
    assertTrue(run.output().contains("Running sudo apt-get update && sudo apt-get install"));
    assertEquals(
        List.of("libucx0"), Files.readAllLines(directory.resolve("target/sluice-installed")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lab --install --require", "--install lab --require"})
  void installFetchesWhatTheLabNeedsToo(String arguments) throws Exception {
    machine.run("./sluice " + arguments);

    assertTrue(machine.wasCalled("python3 -m venv .*/target/lab/venv"), machine.calls());
    assertTrue(
        machine.wasCalled("python3 -m venv .*/sluice/spark/.fetching/venv"), machine.calls());
  }

  private static boolean isDebian() throws IOException {
    Path release = Path.of("/etc/os-release");
    return Files.exists(release) && Files.readAllLines(release).contains("ID=debian");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lab aarch64", "lab", "lab store AARCH64", "test --all"})
  void aGuestOfAarch64NeedsItsEmulatorAndPackagesOfItsOwn(String arguments) throws Exception {
    assumeTrue(isDebian(), "only Debian has the guest's kernel");
    String asked = machine.run("./sluice " + arguments).output();
    Run run = machine.run("./sluice --install " + arguments);

    assertTrue(asked.contains(" qemu-system-arm "), asked);
    assertTrue(asked.contains(".cache/sluice/lab/aarch64: Debian's kernel"), asked);
    assertTrue(
        machine.wasCalled("apt-get .*APT::Architecture=arm64 .*install .*linux-image-arm64"),
        machine.calls());
    assertTrue(run.output().contains("the suite aarch64 is skipped by name"), run.output());
    assertTrue(machine.wasCalled("mvn "), run.output());
  }

  @ParameterizedTest
  @ValueSource(strings = {"lab transport", "test"})
  void whatRunsNoGuestOfAarch64NeedsNothingForIt(String arguments) throws Exception {
    machine.run("./sluice --install " + arguments);

    assertFalse(machine.calls().contains("arm"), machine.calls());
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
        "test --quick",
        "test --quick --install"
      })
  void whatIsDeclinedOrNotNeededIsNotAskedFor(String arguments) throws Exception {
    Run run = machine.run("./sluice " + arguments);

    assertEquals(List.of(), machine.changes());
    assertTrue(machine.wasCalled("mvn "), run.output());
    assertFalse(run.output().contains("does not have"), run.output());
  }

  @Test
  void withoutSparkItSaysThatTestsOfItFail() throws Exception {
    Run run = machine.run("./sluice test --no-install");

    assertTrue(run.output().contains("without Spark 4.2.0"), run.output());
    assertTrue(run.output().contains("what runs it will fail"), run.output());
    assertTrue(machine.run("./sluice test").output().contains("what runs Spark fails"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "foreign",
        "foreign --one-process",
        "foreign SPARK_PYTHON_MLLIB",
        "foreign AVRO spark_graphx"
      })
  void aSparkWithoutPythonIsMissingWhereOthersProgramsRun(String arguments) throws Exception {
    Path spark = Files.createDirectories(directory.resolve(".cache/sluice/spark/4.2.0"));
    Run run = machine.run("./sluice " + arguments);

    assertEquals(3, run.status(), run.output());
    assertTrue(run.output().contains("stock Spark 4.2.0"), run.output());
    Files.createDirectory(spark.resolve("python"));
    assertNotEquals(3, machine.run("./sluice " + arguments).status());
  }

  @Test
  void noOtherCommandNeedsSparksPython() throws Exception {
    Files.createDirectories(directory.resolve(".cache/sluice/spark/4.2.0"));

    assertFalse(machine.run("./sluice foreign AVRO").output().contains("does not have"));
    assertFalse(machine.run("./sluice foreign avro").output().contains("does not have"));
    assertFalse(machine.run("./sluice spark-suites").output().contains("does not have"));
  }

  @Test
  void whatBuildsTheSiteIsInstalledIntoTheCheckout() throws Exception {
    machine.run("./sluice docs --install");

    assertTrue(machine.wasCalled("python3 -m venv .*/target/docs/venv"), machine.calls());
  }

  @Test
  void withoutWhatBuildsItThereIsNoSite() throws Exception {
    Run run = machine.run("./sluice docs --no-install");

    assertEquals(1, run.status(), run.output());
    assertTrue(run.output().contains("--install installs them"), run.output());
    assertEquals(List.of(), machine.changes());
  }

  @ParameterizedTest
  @ValueSource(strings = {"dnf", "none"})
  void whereTheLabHasNoPackagesItsToolsAreNamedAndItGoesOn(String manager) throws Exception {
    Files.delete(directory.resolve("bin/apt-get"));
    if (manager.equals("dnf")) {
      machine.program("dnf", "exit 0");
    }
    Run run = machine.run("./sluice lab");

    assertTrue(
        run.output().contains("its packages are known for Debian alone: qemu-"), run.output());
    assertTrue(run.output().contains(", librdmacm.so.1, python3 with venv"), run.output());
    assertFalse(run.output().contains("does not have"), run.output());
    assertTrue(machine.wasCalled("mvn "), run.output());
  }

  @Test
  void whereAGuestCannotBootVirtmeIsNotNeeded() throws Exception {
    machine.program("uname", "echo aarch64");

    Run lab = machine.run("./sluice lab");
    assertFalse(lab.output().contains("does not have"), lab.output());
    assertTrue(machine.wasCalled("mvn "), lab.output());
    Run test = machine.run("./sluice test");
    assertEquals(3, test.status(), test.output());
    assertFalse(test.output().contains("virtme-ng"), test.output());
    assertFalse(test.output().contains("qemu"), test.output());
  }

  @Test
  void atATerminalNoGoesOn() throws Exception {
    Run run = machine.atATerminal("n");

    assertTrue(run.output().contains("Install it? [y]es"), run.output());
    assertEquals(List.of(), machine.changes());
    assertTrue(machine.wasCalled("mvn "), run.output());
  }

  @Test
  void atATerminalYesInstalls() throws Exception {
    Run run = machine.atATerminal("y");

    assertTrue(machine.wasCalled("sudo -n env .* apt-get .*install .*libucx0 "), machine.calls());
    assertTrue(machine.wasCalled("mvn "), run.output());
  }

  @Test
  void atATerminalItAsksThoughItsOutputGoesIntoAPipe() throws Exception {
    Run run = machine.atATerminal("./sluice demo 2>&1 | cat >log", "y");

    assertTrue(run.output().contains("does not have"), run.output());
    assertTrue(run.output().contains("Install it? [y]es"), run.output());
    assertTrue(machine.wasCalled("sudo -n env .* apt-get .*install .*libucx0 "), machine.calls());
  }

  @Test
  void inTheBackgroundOfATerminalItDoesNotAsk() throws Exception {
    Run run = machine.atATerminal("bash -c 'set -m; ./sluice demo & wait $!'", "y");

    assertEquals(3, run.status(), run.output());
    assertTrue(run.output().contains("--install installs all of this"), run.output());
    assertEquals(List.of(), machine.changes());
  }

  @Test
  void whoeverDoesNotAnswerHasQuit() throws Exception {
    waitASecond();
    Run run = machine.atATerminal("./sluice demo", Redirect.PIPE); // which stays open

    assertEquals(3, run.status(), run.output());
    assertTrue(run.output().contains("Nothing was installed."), run.output());
    assertEquals(List.of(), machine.changes());
  }

  @Test
  void sudoIsAskedForItsPasswordOnce() throws Exception {
    machine.sudo("[ \"$1\" != -v ] || touch password; [ -e password ] || exit 1");
    Run run = machine.atATerminal("y");

    assertTrue(machine.wasCalled("sudo -v"), machine.calls());
    assertTrue(machine.wasCalled("apt-get .*install .*libucx0 "), machine.calls());
    assertTrue(machine.wasCalled("mvn "), run.output());
  }

  @Test
  void aSudoThatKeepsNoPasswordAsksItself() throws Exception {
    machine.sudo("[ \"$1\" != -n ] || exit 1");
    Run run = machine.atATerminal("y");

    assertTrue(machine.wasCalled("sudo env .* apt-get .*install .*libucx0 "), machine.calls());
    assertTrue(machine.wasCalled("mvn "), run.output());
  }

  @Test
  void aPasswordThatSudoRefusesStops() throws Exception {
    machine.sudo("exit 1");
    Run run = machine.atATerminal("y");

    assertEquals(3, run.status(), run.output());
    assertTrue(run.output().contains("sudo did not agree; nothing was installed"), run.output());
    assertEquals(List.of(), machine.changes());
  }

  @Test
  void whoeverGivesNoPasswordHasQuit() throws Exception {
    waitASecond();
    machine.sudo("[ \"$1\" != -v ] || exec sleep 10; exit 1");
    Run run = machine.atATerminal("y");

    assertEquals(3, run.status(), run.output());
    assertTrue(run.output().contains("no password for sudo within 1 s"), run.output());
    assertEquals(List.of(), machine.changes());
  }

  @Test
  void atATerminalQuitStops() throws Exception {
    Run run = machine.atATerminal("q");

    assertEquals(3, run.status(), run.output());
    assertEquals(List.of(), machine.changes());
    assertFalse(machine.wasCalled("mvn "), run.output());
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
}
