package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the script refuses; what it does for a NodeManager is seen on the cluster of two users. */
class ContainerExecutorTest {
  private static final String DELETE = "3";
  private static final String LIST = "5";
  private static final int REFUSED = 22;

  @TempDir Path directory;

  private Path cluster;
  private Path outside;

  @BeforeEach
  void copyTheScriptIntoACluster() throws IOException {
    TestUsers.unavailable().ifPresent(why -> Assumptions.abort(why));
    cluster = Files.createDirectories(directory.resolve("cluster"));
    outside = Files.createDirectories(directory.resolve("outside"));
    for (Path path : List.of(directory, cluster, outside)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    try (InputStream script = UsersPlace.class.getResourceAsStream("container-executor")) {
      Files.copy(script, cluster.resolve("container-executor"));
    }
  }

  @Test
  void nothingOutsideItsClusterIsTouched() throws Exception {
    Path link = Files.createSymbolicLink(cluster.resolve("link"), outside);
    for (Path path : List.of(outside, link, cluster.resolve("../outside"), cluster)) {
      assertEquals(REFUSED, run("nobody", DELETE, path.toString()), path.toString());
      assertEquals(REFUSED, run("nobody", DELETE, "", path.toString()), path.toString());
    }
    assertTrue(Files.exists(outside) && Files.exists(link));
  }

  @Test
  void nothingRunsAsAUserOfTheSystems() throws Exception {
    Path inside = Files.createDirectories(cluster.resolve("inside"));
    assertEquals(REFUSED, run("root", LIST, inside.toString()));
    assertEquals(REFUSED, run("daemon", LIST, inside.toString()));
    assertEquals(0, run("nobody", LIST, inside.toString()));
  }

  @Test
  void anUnknownUserAndAnUnknownCommandAreToldApart() throws Exception {
    assertEquals(2, run("nobody-of-this-name", LIST, cluster.toString()));
    assertEquals(3, run("nobody", "4", cluster.toString()));
  }

  /** Root removes what is left of a directory of the user's, and only if it is empty. */
  @Test
  void whatIsNotTheUsersIsNotDeletedForHim() throws Exception {
    Path his = Files.createDirectories(cluster.resolve("his"));
    Files.setAttribute(his, "unix:uid", 65534);
    assertEquals(0, run("nobody", DELETE, his.toString()));
    assertFalse(Files.exists(his), his + " is there");
    Path other = Files.createDirectories(cluster.resolve("other/file"));
    assertEquals(1, run("nobody", DELETE, other.getParent().toString()));
    assertTrue(Files.exists(other), other + " is gone");
  }

  private int run(String user, String... arguments) throws Exception {
    Path output = directory.resolve("output");
    List<String> command = new ArrayList<>();
    command.add("bash");
    command.add(cluster.resolve("container-executor").toString());
    command.addAll(List.of(user, user));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(1, TimeUnit.MINUTES), "the script does not end");
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
