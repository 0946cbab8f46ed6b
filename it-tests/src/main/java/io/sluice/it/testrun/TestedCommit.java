package io.sluice.it.testrun;

import io.sluice.it.report.Commit;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The commit that a run tests: the one that was there before the build.
 *
 * @param root of the checkout
 * @param name as {@link Commit} gives it
 */
record TestedCommit(Path root, String name) {
  /** The one that is there now. */
  static TestedCommit now(Path root) {
    return new TestedCommit(root, Commit.of(root));
  }

  /** Why a result must not be called this commit's; empty if it may. */
  Optional<String> problem() {
    String last = now(root).name();
    return last.equals(name)
        ? Optional.empty()
        : Optional.of("%s was to be tested and %s is there at the end".formatted(name, last));
  }
}
