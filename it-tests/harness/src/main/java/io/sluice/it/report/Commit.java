package io.sluice.it.report;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What a checkout's files are. Stateless. */
public final class Commit {
  private static final String UNKNOWN = "unknown";

  private Commit() {}

  /**
   * Asks git, as the script {@code sluice} does.
   *
   * @return with {@code -dirty} if the files are not the commit's; {@code unknown} without git
   */
  public static String of(Path root) {
    try {
      Process git =
          new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=12")
              .directory(root.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return git.waitFor() == 0 ? said : UNKNOWN;
    } catch (IOException e) {
      return UNKNOWN; // no git
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while asking git for the commit", e);
    }
  }
}
