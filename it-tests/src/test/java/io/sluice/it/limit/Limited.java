package io.sluice.it.limit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What tests of bounds have in common. */
final class Limited {
  private static final long DEADLINE_S = 120;

  private Limited() {}

  /** Skips the test where the machine or the user cannot bound anything, and says why. */
  static void require(Optional<String> unavailable) {
    assumeTrue(unavailable.isEmpty(), () -> unavailable.orElseThrow());
  }

  static LimitDirectory directory() {
    return LimitDirectory.create(Workspace.find().root().resolve("it-tests/target/limits"));
  }

  /** Runs a shell's command in a group; returns its exit status. */
  static int run(ResourceGroup group, String command) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(group.enter());
    all.addAll(List.of("sh", "-c", command));
    Process process = new ProcessBuilder(all).inheritIO().start();
    if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("did not end: " + command);
    }
    return process.exitValue();
  }

  static Path file(LoopVolume volume, String name) {
    return volume.mount().resolve(name);
  }
}
