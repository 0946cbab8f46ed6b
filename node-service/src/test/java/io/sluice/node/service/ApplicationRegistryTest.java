package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplicationRegistryTest {
  private static final String APP = "application_1_0001";
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(-2);
  private static final JobSecret SECRET = secret("a secret of ann's");

  @TempDir Path directory;
  private ApplicationRegistry registry;

  private static Owner own() throws IOException {
    return Owner.ofThisProcess();
  }

  private static JobSecret secret(String text) {
    return new JobSecret(text.getBytes(StandardCharsets.US_ASCII));
  }

  @BeforeEach
  void open() throws IOException {
    registry = ApplicationRegistry.open(directory, true, null);
  }

  @Test
  void anApplicationKeepsItsOwner() throws IOException {
    registry.register(APP, BOB, SECRET);
    registry.register(APP, BOB, SECRET);
    assertEquals(Optional.of(BOB), registry.ownerOf(APP));
    RemoteError refused =
        assertThrows(RemoteError.class, () -> registry.register(APP, ANN, SECRET));
    assertEquals(RemoteError.Code.REFUSED, refused.code());
    assertTrue(refused.getMessage().contains("as user id 4294967294's"), refused.getMessage());
    assertThrows(
        RemoteError.class, () -> registry.register(APP, own(), SECRET), "not even the service's");
    assertThrows(RemoteError.class, () -> registry.register(APP, BOB, secret("another")));
    assertEquals(Optional.empty(), registry.ownerOf("application_1_0002"));
  }

  @Test
  void ownersOutliveTheService() throws IOException {
    registry.register(APP, BOB, SECRET);
    registry.register("application_1_0002", own(), secret("the service's user's"));
    assertEquals(
        Map.of(APP, BOB, "application_1_0002", Owner.ofThisProcess()),
        ApplicationRegistry.owners(directory));
    open();
    assertEquals(Optional.of(BOB), registry.ownerOf(APP));
    assertEquals(SECRET, registry.secretOf(APP));
    registry.forget(APP);
    assertEquals(Optional.empty(), registry.ownerOf(APP));
  }

  @Test
  void whatAFormerReleaseKeptIsTheServicesUsers() throws IOException {
    Files.write(directory.resolve(APP), SECRET.bytes());
    open();
    assertEquals(Optional.of(Owner.ofThisProcess()), registry.ownerOf(APP));
    assertEquals(SECRET, registry.secretOf(APP));
  }

  @Test
  void whatCannotBeReadIsNobodys() throws IOException {
    Files.createFile(directory.resolve(APP));
    assertEquals(Map.of(), ApplicationRegistry.owners(directory));
  }

  @Test
  void encodedIdsOutliveTheServiceAndNoneLeavesTheDirectory() throws IOException {
    String encoded = "my%2eapp%2f" + "x".repeat(240);
    registry.register(encoded, BOB, SECRET);
    open();
    assertEquals(Optional.of(BOB), registry.ownerOf(encoded));
    for (String other : List.of("..", "a/b", "my.app", "x".repeat(252))) {
      assertEquals(
          RemoteError.Code.BAD_REQUEST,
          assertThrows(RemoteError.class, () -> registry.register(other, BOB, SECRET)).code());
    }
  }
}
