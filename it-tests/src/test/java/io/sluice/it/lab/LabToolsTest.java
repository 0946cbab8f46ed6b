package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Why no guest can be booted, and where that sends somebody. */
class LabToolsTest {
  private static final Optional<Path> NONE = Optional.empty();
  private static final Optional<Path> SOME = Optional.of(Path.of("some"));

  @BeforeEach
  void onlyWhereAGuestCouldBoot() {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "guests boot on x86-64");
  }

  @Test
  void itSendsNobodyWhereNobodyIsAsked() {
    String withApt = new LabTools(NONE, NONE, NONE, NONE, true).cause().orElseThrow();
    String without = new LabTools(NONE, NONE, NONE, NONE, false).cause().orElseThrow();

    assertTrue(withApt.contains("to be asked"), withApt);
    assertFalse(without.contains("to be asked"), without);
    assertTrue(without.contains("names what else is missing"), without);
  }

  @Test
  void theKernelIsAPackageToo() {
    String without = new LabTools(NONE, SOME, NONE, NONE, false).cause().orElseThrow();

    assertTrue(without.contains("rdma_rxe"), without);
    assertFalse(without.contains("to be asked"), without);
  }

  @Test
  void virtmeIsOfferedEverywhere() {
    String cause = new LabTools(NONE, SOME, SOME, NONE, false).cause().orElseThrow();

    assertTrue(cause.contains("to be asked"), cause);
  }

  @Test
  void whatAGuestOfAarch64LacksIsNamedAsItsOwn() {
    LabTools noQemu = new LabTools(SOME, NONE, NONE, SOME, true);
    LabTools noRoot = new LabTools(SOME, SOME, NONE, SOME, true);

    assertTrue(noQemu.cause().orElseThrow().startsWith("qemu-system-aarch64 "));
    assertTrue(noRoot.cause().orElseThrow().startsWith("no kernel in some/boot "));
    assertEquals(Optional.empty(), new LabTools(SOME, SOME, SOME, SOME, true).cause());
  }

  @Test
  void nothingIsMissing() {
    assertEquals(Optional.empty(), new LabTools(SOME, SOME, SOME, NONE, false).cause());
  }
}
