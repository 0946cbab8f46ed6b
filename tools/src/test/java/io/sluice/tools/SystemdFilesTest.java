package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The unit starts the service that there is, and takes nothing from it that it needs. */
class SystemdFilesTest {
  private static final Path DIST = Path.of("..", "dist");
  private static final String OPTIONS = "/etc/sluice/node-service.conf";

  /** Settings of a unit under which the service would not work, by why. */
  private static final Map<String, String> HARMFUL =
      Map.of(
          "PrivateDevices", "/dev/infiniband would be hidden",
          "MemoryDenyWriteExecute", "Java could not compile",
          "PrivateNetwork", "readers could not come",
          "PrivateUsers", "executors would be told another user",
          "DynamicUser", "it is not the executors' user, and its pool would be removed",
          "RemoveIPC", "the pool would be removed from /dev/shm");

  private Map<String, List<String>> unit;

  @BeforeEach
  void read() throws IOException {
    unit = new TreeMap<>();
    for (String line : Files.readAllLines(DIST.resolve("systemd/sluice-node.service"))) {
      String[] parts = line.split("=", 2);
      if (parts.length == 2 && !line.startsWith("#")) {
        unit.computeIfAbsent(parts[0], name -> new ArrayList<>()).add(parts[1]);
      }
    }
  }

  private String only(String name) {
    List<String> values = unit.getOrDefault(name, List.of());
    assertEquals(1, values.size(), name + " is " + values);
    return values.get(0);
  }

  /** The words of the template and of tmpfiles.d are the same as those of the unit. */
  @Test
  void itStartsTheServiceInTheDirectoryThatIsKept() throws IOException {
    List<String> words = List.of(only("ExecStart").split(" "));
    assertTrue(Path.of(words.get(0)).isAbsolute(), words::toString);
    assertEquals("@" + OPTIONS, words.get(words.size() - 1));
    String[] arguments =
        words.subList(words.indexOf(NodeServiceCommand.NAME), words.size()).stream()
            .map(word -> word.replace(OPTIONS, DIST + "/conf/node-service.conf.template"))
            .toArray(String[]::new);
    CommandLine.ParseResult service = Tools.commandLine().parseArgs(arguments).subcommand();
    Path directory = service.matchedOptionValue("--dir", null);
    assertTrue(directory.startsWith(only("ReadWritePaths")), directory::toString);
    String user = only("User");
    String tmpfiles = Files.readString(DIST.resolve("systemd/sluice.conf"));
    String kept = "\nd %s 0700 %s %s -\n".formatted(directory, user, user);
    assertTrue(tmpfiles.contains(kept), tmpfiles);
    assertTrue(tmpfiles.contains("\nx " + directory + "*\n"), tmpfiles);
  }

  /** The parser does not take what it does not know. */
  @Test
  void aMissingFileOfOptionsIsRefused(@TempDir Path nothing) {
    CommandLine service = new CommandLine(new NodeServiceCommand());
    assertFalse(parses(service, "@" + nothing.resolve("node-service.conf")));
    assertTrue(parses(service, "--dir=" + nothing));
  }

  private static boolean parses(CommandLine service, String argument) {
    try {
      service.parseArgs(argument);
      return true;
    } catch (CommandLine.ParameterException e) {
      return false;
    }
  }

  @Test
  void theServiceHasWhatItNeeds() {
    assertEquals("infinity", only("LimitMEMLOCK"));
    assertTrue(Integer.parseInt(only("LimitNOFILE")) >= 65_536);
    assertTrue(Integer.parseInt(only("TasksMax")) > 3 * (2048 + 256));
    assertTrue(unit.get("DeviceAllow").contains("char-infiniband_verbs rw"));
    assertTrue(unit.get("DeviceAllow").contains("/dev/infiniband/rdma_cm rw"));
    assertTrue(only("RestrictAddressFamilies").contains("AF_NETLINK"), "libibverbs asks by it");
    assertEquals("on-failure", only("Restart"));
    assertEquals(Integer.toString(CommandLine.ExitCode.USAGE), only("RestartPreventExitStatus"));
    HARMFUL.forEach((name, why) -> assertFalse(unit.containsKey(name), why));
  }
}
