package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.testrun.BareMachine.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./sluice release} asks of gpg, where gpg only writes down what it was asked. */
class ReleaseKeyTest {
  private static final String LISTED = "sec:u:255:22:0123456789ABCDEF:::::::scESC:::+:::23::0:";
  private static final String SIGNS = "gpg --armor --detach-sign";

  @TempDir Path directory;
  private BareMachine machine;

  @BeforeEach
  void lackEverything() throws IOException {
    machine = new BareMachine(directory);
  }

  /** A gpg that has this key, or none, and whose other calls end so. */
  private void gpg(String key, int status) throws IOException {
    machine.program(
        "gpg",
        "case \" $* \" in",
        "  *' --list-secret-keys '*) echo '%s' ;;".formatted(key),
        "  *) cat >>got; exit %d ;;".formatted(status),
        "esac");
  }

  /** Runs a line of the script, as ./sluice does. */
  private Run run(String line, String passphrase) throws Exception {
    Files.writeString(
        directory.resolve("of-the-launcher"),
        """
        set -euo pipefail
        root=$PWD MAVEN_GPG_PASSPHRASE='%s'
        die() { echo "sluice: $*" >&2; exit 1; }
        . setup/release.sh
        %s
        """
            .formatted(passphrase, line));
    return machine.run("bash of-the-launcher");
  }

  /** As root gpg removes what it could not write, and /dev/null is then gone for everybody. */
  @AfterEach
  void noOutputOfGpgIsNamed() throws IOException {
    List<String> outputs =
        machine
            .calls()
            .lines()
            .filter(call -> call.startsWith("gpg "))
            .filter(call -> call.contains("/dev/null") || call.matches(".* (-o|--output).*"))
            .toList();
    assertEquals(List.of(), outputs);
  }

  @Test
  void withoutAKeyNothingIsSigned() throws Exception {
    gpg("", 2);
    assertEquals(0, run("try_key", "").status());
    assertEquals("-Dgpg.skip=true\n", run("signing", "").output());
    assertFalse(machine.wasCalled(SIGNS), machine.calls());
  }

  @Test
  void withoutGpgNothingIsSigned() throws Exception {
    assertEquals(0, run("try_key", "").status());
    assertEquals("-Dgpg.skip=true\n", run("signing", "").output());
  }

  @Test
  void anOpenKeyIsTriedBeforeTheBuild() throws Exception {
    gpg(LISTED, 0);
    assertEquals(0, run("try_key", "").status());
    assertTrue(machine.wasCalled(SIGNS), machine.calls());
    assertEquals("-Dgpg.skip=false\n", run("signing", "").output());
  }

  @Test
  void aLockedKeyEndsTheReleaseAndSaysWhatHelps() throws Exception {
    gpg(LISTED, 2);
    Run run = run("try_key", "");
    assertEquals(1, run.status(), run.output());
    assertTrue(run.output().contains("gpg cannot sign with its default key"), run.output());
    assertTrue(run.output().contains("set MAVEN_GPG_PASSPHRASE"), run.output());
  }

  @Test
  void withAPassphraseALockedKeyIsLeftToTheBuild() throws Exception {
    gpg(LISTED, 2);
    assertEquals(0, run("try_key", "of nobody").status());
    assertFalse(machine.wasCalled(SIGNS), machine.calls());
  }

  @Test
  void theTarballIsSignedWithTheKeyOfTheJars() throws Exception {
    gpg(LISTED, 0);
    assertEquals(0, run("sign a.tar.gz", "").status());
    assertTrue(machine.wasCalled(SIGNS + " a.tar.gz"), machine.calls());
  }

  /** Not among the arguments, which all users of the machine see. */
  @Test
  void gpgReadsThePassphrase() throws Exception {
    gpg(LISTED, 0);
    assertEquals(0, run("sign a.tar.gz", "of nobody").status());
    assertTrue(machine.wasCalled("gpg --batch .*--passphrase-fd 0 .*a.tar.gz"), machine.calls());
    assertEquals("of nobody\n", Files.readString(directory.resolve("got")));
    assertFalse(machine.calls().contains("of nobody"), machine.calls());
  }

  @Test
  void aTarballThatIsNotSignedIsNoRelease() throws Exception {
    gpg(LISTED, 2);
    Run run = run("sign a.tar.gz", "");
    assertEquals(1, run.status(), run.output());
    assertTrue(run.output().contains("gpg could not sign a.tar.gz"), run.output());
  }
}
