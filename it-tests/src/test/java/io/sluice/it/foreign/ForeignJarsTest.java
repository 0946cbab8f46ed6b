package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForeignJarsTest {
  private static final String OF_ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @TempDir private Path directory;

  @Test
  void aJarThatIsNotTheListedOneIsRefused() throws IOException {
    Files.writeString(directory.resolve("name-1.0.jar"), "abc");
    Files.writeString(directory.resolve("name-1.0-extra.jar"), "abd");
    assertDoesNotThrow(() -> ForeignJars.check(List.of(OF_ABC + "  group:name:1.0"), directory));
    String message =
        assertThrows(
                ClusterException.class,
                () -> ForeignJars.check(List.of(OF_ABC + "  group:name:1.0:extra"), directory))
            .getMessage();
    assertEquals(
        "the SHA-256 of name-1.0-extra.jar is"
            + " a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9, expected "
            + OF_ABC,
        message);
  }

  @Test
  void aLineThatIsNoHashAndCoordinatesIsNamed() {
    String message =
        assertThrows(
                ClusterException.class, () -> ForeignJars.check(List.of("group:name"), directory))
            .getMessage();
    assertEquals("not a SHA-256 and a jar's coordinates: group:name", message);
  }
}
