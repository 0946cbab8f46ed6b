package io.sluice.rdma.transport.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.disni.DisniProvider.DisniAvailability;
import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DisniAvailabilityTest {
  @TempDir private Path sys;

  @BeforeEach
  void oneActivePort() throws IOException {
    Path device = Files.createDirectories(sys.resolve("infiniband/rxe0"));
    Files.writeString(device.resolve("node_type"), "1: CA\n");
    Path port = Files.createDirectories(device.resolve("ports/1"));
    Files.writeString(port.resolve("state"), "4: ACTIVE\n");
    Files.createDirectories(sys.resolve("misc/rdma_cm"));
  }

  @Test
  void withoutADeviceItAsksForOneAndLoadsNothing() {
    DisniProvider provider =
        new DisniProvider(
            new DisniAvailability(
                new RdmaDevices(sys.resolve("absent")), () -> true, DisniAvailabilityTest::fail));
    assertTrue(provider.unavailabilityCause().orElseThrow().contains("active port"));
    TransportException e = assertThrows(TransportException.class, provider::openClient);
    assertTrue(e.getMessage().contains("active port"), e.getMessage());
  }

  private static void fail() {
    throw new AssertionError("must not be tried");
  }

  @Test
  void asksForTheJvmFlagBeforeItLoadsAnything() {
    String cause = cause(false, DisniAvailabilityTest::fail);
    assertTrue(cause.contains("--add-exports java.base/sun.nio.ch=ALL-UNNAMED"), cause);
  }

  /** As with this module's jar without DiSNI's classes. */
  @Test
  void aClassThatIsMissingIsACauseAndNoError() {
    DisniAvailability availability =
        new DisniAvailability(
            new RdmaDevices(sys),
            () -> {
              throw new NoClassDefFoundError("com/ibm/disni/util/MemoryUtils");
            },
            DisniAvailabilityTest::fail);
    assertTrue(availability.cause().orElseThrow().contains("com/ibm/disni/util/MemoryUtils"));
  }

  @Test
  void saysHowToInstallAMissingLibraryEachTimeItFailsToLoad() {
    for (LinkageError error :
        new LinkageError[] {
          new UnsatisfiedLinkError("no disni in java.library.path"),
          new NoClassDefFoundError("Could not initialize class NativeDispatcher")
        }) {
      String cause =
          cause(
              true,
              () -> {
                throw error;
              });
      assertTrue(cause.contains("docs/disni.md"), cause);
      assertTrue(cause.contains(System.getProperty("java.library.path")), cause);
    }
  }

  @Test
  void passesOnWhyNoDeviceCanBeUsed() {
    String cause =
        cause(
            true,
            () -> {
              throw new TransportException("no address");
            });
    assertTrue(cause.contains("no address"), cause);
  }

  @Test
  void triesOnce() {
    AtomicInteger trials = new AtomicInteger();
    DisniAvailability availability =
        new DisniAvailability(new RdmaDevices(sys), () -> true, trials::incrementAndGet);
    assertEquals(Optional.empty(), availability.cause());
    assertEquals(Optional.empty(), availability.cause());
    assertEquals(1, trials.get());
  }

  private String cause(boolean mayAskForAddresses, DisniAvailability.Trial trial) {
    return new DisniAvailability(new RdmaDevices(sys), () -> mayAskForAddresses, trial)
        .cause()
        .orElseThrow();
  }
}
