package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.ServiceAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a service that runs by itself leaves for the executors of its node. */
class ServiceFileTest {
  @TempDir private Path base;
  private Path directory;
  private ServiceAddress address;

  @BeforeEach
  void nameIt() throws IOException {
    directory = Files.createDirectory(base.resolve("service"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    address = new ServiceAddress("", 13600, ServiceAddress.socketIn(directory), "plain");
  }

  @Test
  void comesBackUntilItIsRemoved() throws IOException {
    for (ServiceAddress each : List.of(address, address.at("10.0.0.1"))) {
      ServiceFile.write(directory, each);
      assertEquals(each, ServiceFile.read(directory));
    }
    ServiceFile.remove(directory);
    assertThrows(IOException.class, () -> ServiceFile.read(directory));
  }

  /** Executors of one release meet services of another. */
  @Test
  void itsFormIsThatOfEveryRelease() throws IOException {
    ServiceFile.write(directory, address.at("10.0.0.1"));
    List<String> lines = Files.readAllLines(directory.resolve("service.properties"));
    assertEquals(
        List.of("host=10.0.0.1", "medium=plain", "port=13600"),
        lines.stream().filter(line -> !line.startsWith("#")).sorted().toList());
  }

  @Test
  void oneOfAnotherReleaseIsRefused() throws IOException {
    Files.writeString(directory.resolve("service.properties"), "host=\nport=1\n");
    assertRefused("is of another release of Sluice");
  }

  @Test
  void oneThatOthersMayHaveWrittenIsNotBelieved() throws IOException {
    ServiceFile.write(directory, address);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertRefused("can be written by other users");
  }

  @Test
  void withoutAHostItIsWhereItsExecutorsAre() {
    assertEquals(NodeAddress.ofService("worker7", 13600), address.control("worker7"));
    assertEquals(
        NodeAddress.ofService("10.0.0.1", 13600), address.at("10.0.0.1").control("worker7"));
  }

  private void assertRefused(String why) {
    String message =
        assertThrows(IOException.class, () -> ServiceFile.read(directory)).getMessage();
    assertTrue(message.contains(why), message);
  }
}
