package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.testrun.TestRun.TestedCommit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestedCommitTest {
  @TempDir Path root;

  @Test
  void aCheckoutThatChangedMeanwhileIsNotTheCommitThatWasTested() throws Exception {
    assumeTrue(hasGit(), "git is not installed");
    git("init", "-q");
    commit("one");
    TestedCommit tested = TestedCommit.now(root);
    assertEquals(Optional.empty(), tested.problem());
    Files.writeString(root.resolve("file"), "edited");
    assertTrue(tested.problem().orElse("").endsWith("-dirty is there at the end"));
    commit("two");
    assertTrue(tested.problem().orElse("").startsWith(tested.name() + " was to be tested"));
  }

  private void commit(String text) throws Exception {
    Files.writeString(root.resolve("file"), text);
    git("add", "file");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", text);
  }

  private static boolean hasGit() throws InterruptedException {
    try {
      return new ProcessBuilder("git", "--version")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private void git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    int status =
        new ProcessBuilder(command)
            .directory(root.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    assertEquals(0, status, command.toString());
  }
}
