package io.sluice.it.testrun;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The commit that a run tests: the one that was there before the build.
 *
 * @param root of the checkout
 * @param name with {@code -dirty} if the files were not the commit's; {@code unknown} without git
 */
record TestedCommit(Path root, String name) {
  /** The one that is there now; the script {@code sluice} asks git the same. */
  static TestedCommit now(Path root) {
    try {
      Process git =
          new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=12")
              .directory(root.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return new TestedCommit(root, git.waitFor() == 0 ? said : "unknown");
    } catch (IOException e) {
      return new TestedCommit(root, "unknown"); // no git
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while asking git for the commit", e);
    }
  }

  /** Why a result must not be called this commit's; empty if it may. */
  Optional<String> problem() {
    String last = now(root).name();
    return last.equals(name)
        ? Optional.empty()
        : Optional.of("%s was to be tested and %s is there at the end".formatted(name, last));
  }
}
