package io.sluice.it.cluster;

import com.sun.security.auth.module.UnixSystem;
import io.sluice.it.cluster.ProcessTable.ProcessRights;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The users of a cluster on which every job runs as its own: one of the NodeManagers and two who
 * run jobs.
 *
 * <p>They are accounts of the machine, because Hadoop looks names up: system accounts without a
 * home, a shell or a password. Root makes those that are missing. They stay, as other clusters may
 * be using them; {@code userdel} removes them.
 *
 * @param nodeManager uid of {@link #NODE_MANAGER}
 * @param ann uid of {@link #ANN}
 * @param bob uid of {@link #BOB}
 */
public record TestUsers(int nodeManager, int ann, int bob) {
  public static final String NODE_MANAGER = "sluice-nm";
  public static final String ANN = "sluice-ann";
  public static final String BOB = "sluice-bob";

  private static final String SETPRIV = "setpriv";
  private static final String CAPABILITIES = "+setuid,+setgid";
  private static final long CAPABILITY_BITS = 1 << 6 | 1 << 7; // as in linux/capability.h
  private static final int NOBODY = 65534;
  private static final long DEADLINE_S = 60;

  /** Why this process cannot run others as these users; empty if it can. */
  public static Optional<String> unavailable() {
    if (new UnixSystem().getUid() != 0) {
      return Optional.of("only root can run processes as other users");
    }
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    for (List<String> trial :
        List.of(
            List.of("useradd", "--help"),
            // With the rights of the NodeManager: in a container root may not have them to give.
            List.of(
                SETPRIV,
                "--reuid=" + NOBODY,
                "--clear-groups",
                "--inh-caps=" + CAPABILITIES,
                "--ambient-caps=" + CAPABILITIES,
                java,
                "-version"))) {
      Answer answer = ask(trial);
      if (!answer.succeeded()) {
        return Optional.of(String.join(" ", trial) + " failed: " + answer.text());
      }
    }
    return Optional.empty();
  }

  /** The users; makes those that the machine has not. */
  public static TestUsers make() {
    return new TestUsers(account(NODE_MANAGER), account(ANN), account(BOB));
  }

  /** The rights of their NodeManagers, which can become other users. */
  public ProcessRights ofNodeManager() {
    return ProcessRights.with(nodeManager, CAPABILITY_BITS);
  }

  /** Their processes that work in a directory, or did before it was removed. */
  public List<Long> processesIn(Path directory) {
    return ProcessTable.workingIn(directory, Set.of(nodeManager, ann, bob));
  }

  /** A command that becomes the NodeManager's user, with the right to become others. */
  List<String> becomeNodeManager() {
    return List.of(
        SETPRIV,
        "--reuid=" + NODE_MANAGER,
        "--regid=" + NODE_MANAGER,
        "--clear-groups",
        "--inh-caps=" + CAPABILITIES,
        "--ambient-caps=" + CAPABILITIES);
  }

  /** Makes the NodeManagers' user the owner of a directory. */
  void give(Path directory) {
    try {
      Files.setAttribute(directory, "unix:uid", nodeManager, LinkOption.NOFOLLOW_LINKS);
      Files.setAttribute(directory, "unix:gid", group(), LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot give away " + directory, e);
    }
  }

  private static int group() {
    return Integer.parseInt(run(List.of("id", "-g", NODE_MANAGER)));
  }

  private static int account(String name) {
    String failure = "";
    if (!ask(List.of("id", "-u", name)).succeeded()) {
      // Another process may make it at the same time, and be the first.
      failure =
          ask(List.of(
                  "useradd",
                  "--system",
                  "--user-group",
                  "--no-create-home",
                  "--home-dir=/nonexistent",
                  "--shell=/usr/sbin/nologin",
                  name))
              .text();
    }
    Answer uid = ask(List.of("id", "-u", name));
    if (!uid.succeeded()) {
      throw new ClusterException("there is no user %s: %s".formatted(name, failure));
    }
    return Integer.parseInt(uid.text());
  }

  private static String run(List<String> command) {
    Answer answer = ask(command);
    if (!answer.succeeded()) {
      throw new ClusterException(String.join(" ", command) + " failed: " + answer.text());
    }
    return answer.text();
  }

  /** The output of a command, without the last line's end, and whether it succeeded. */
  private record Answer(boolean succeeded, String text) {}

  private static Answer ask(List<String> command) {
    try {
      Path output = Files.createTempFile("sluice-users", ".txt");
      try {
        Process process =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
          process.destroyForcibly();
          return new Answer(false, "no end after " + DEADLINE_S + " s");
        }
        return new Answer(process.exitValue() == 0, Files.readString(output).strip());
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      return new Answer(false, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while waiting for " + command.get(0), e);
    }
  }
}
