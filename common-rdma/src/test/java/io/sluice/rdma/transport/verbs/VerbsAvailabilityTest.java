package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.transport.TransportException;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerbsAvailabilityTest {
  @TempDir private Path dir;

  private FakeVerbs verbs;

  @BeforeEach
  void fakeVerbs() throws IOException {
    verbs = new FakeVerbs(dir);
  }

  @AfterEach
  void closeVerbs() {
    assertEquals(List.of(), verbs.live());
    verbs.close();
  }

  private String cause() {
    return verbs.provider().unavailabilityCause().orElseThrow();
  }

  private void assertCause(String... words) {
    String cause = cause();
    for (String word : words) {
      assertTrue(cause.contains(word), cause);
    }
  }

  private void forEachPort(String file, String content) throws IOException {
    for (String device : new String[] {"fake0", "fake1"}) {
      Files.writeString(
          verbs.sysClass().resolve("infiniband").resolve(device).resolve("ports/1/" + file),
          content);
    }
  }

  @Test
  void isAvailableWithADeviceAndAnAddressAndAsksOnce() {
    VerbsProvider provider = verbs.provider();
    assertEquals(Optional.empty(), provider.unavailabilityCause());
    verbs.fail("open", 0, new IOException("must not be asked again"));
    assertEquals(Optional.empty(), provider.unavailabilityCause());
    assertTrue(provider.isConfined());
    assertTrue(provider.keysCanBeGuessed());
  }

  @Test
  void withoutADeviceItAsksForOneAndCallsNothing() throws Exception {
    VerbsProvider provider =
        new VerbsProvider(
            () -> fail("libibverbs is loaded for nothing"),
            dir.resolve("absent"),
            new VerbsAvailability(dir.resolve("absent"), verbs.devices(), verbs.limit()),
            VerbsNetwork.DEFAULT,
            List.of());
    assertTrue(provider.unavailabilityCause().orElseThrow().contains("no RDMA device"));
    TransportException e = assertThrows(TransportException.class, provider::openClient);
    assertTrue(e.getMessage().contains("no RDMA device"), e.getMessage());
    assertEquals(List.of(), List.copyOf(verbs.calls()));
  }

  @Test
  void withoutAnActivePortItSaysWhereToLook() throws Exception {
    forEachPort("state", "1: DOWN\n");
    assertCause("no RDMA device has an active port", "rdma link");
  }

  /** As a service looks, which has chosen another transport. */
  @Test
  void aPortThatComesUpLaterIsSeenByTheNextProvider() throws Exception {
    forEachPort("state", "1: DOWN\n");
    VerbsProvider early = verbs.provider();
    assertTrue(early.unavailabilityCause().isPresent());
    forEachPort("state", "4: ACTIVE\n");
    assertEquals(Optional.empty(), verbs.provider().unavailabilityCause());
    assertTrue(early.unavailabilityCause().isPresent());
  }

  @Test
  void withoutDeviceFilesItNamesTheModule() throws Exception {
    Files.delete(verbs.devices().resolve("uverbs0"));
    Files.delete(verbs.devices().resolve("uverbs1"));
    assertCause("no uverbs device", "ib_uverbs");
  }

  @Test
  void withTooLittleLockedMemoryItNamesTheLimit() throws Exception {
    Path limits = Files.writeString(dir.resolve("limits"), "Max locked memory  65536  65536\n");
    Path status =
        Files.writeString(dir.resolve("status"), "VmPin: 0 kB\nCapEff: 0000000000000000\n");
    String cause =
        new VerbsAvailability(
                verbs.sysClass(), verbs.devices(), new LockedMemoryLimit(limits, status))
            .cause(() -> verbs)
            .orElseThrow();
    assertTrue(cause.contains("allows 65536 bytes"), cause);
    assertTrue(cause.contains("ulimit -l"), cause);
  }

  @Test
  void withoutADriverItNamesThePackage() throws Exception {
    Path devices = verbs.sysClass().resolve("infiniband");
    Files.move(devices.resolve("fake0"), devices.resolve("other0"));
    Files.move(devices.resolve("fake1"), devices.resolve("other1"));
    assertCause("no driver for [other0, other1]", "ibverbs-providers");
  }

  @Test
  void aLibraryThatDoesNotLoadIsExplainedInOneLine() {
    UnsatisfiedLinkError jna =
        assertThrows(
            UnsatisfiedLinkError.class, () -> NativeLibrary.getInstance("libnosuchverbs.so.1"));
    assertEquals(
        "libnosuchverbs.so.1: cannot open shared object file: No such file or directory",
        VerbsAvailability.reason(jna));
    assertEquals(
        "java.lang.UnsatisfiedLinkError: no function",
        VerbsAvailability.reason(new UnsatisfiedLinkError("no function")));
  }

  @Test
  void rdmaCoreIsBlamedForItsOwnLibraryAlone() {
    String rdmaCore = "install rdma-core";
    for (String said :
        new String[] {
          "Unable to load library 'libibverbs.so.1':\nlibibverbs.so.1: cannot open",
          "Error looking up function 'ibv_reg_mr': undefined symbol"
        }) {
      String cause = VerbsAvailability.libraryCause(new UnsatisfiedLinkError(said));
      assertTrue(cause.contains(rdmaCore), cause);
    }
    String cause =
        VerbsAvailability.libraryCause(
            new UnsatisfiedLinkError("Error looking up function 'ffi_prep_cif'"));
    assertFalse(cause.contains(rdmaCore), cause);
    assertTrue(cause.contains("ffi_prep_cif"), cause);
  }

  private void giveAllPortsTheGid(String gid) throws IOException {
    for (String device : new String[] {"fake0", "fake1"}) {
      Path gids = verbs.sysClass().resolve("infiniband").resolve(device).resolve("ports/1/gids");
      try (Stream<Path> all = Files.list(gids)) {
        for (Path each : all.toList()) {
          Files.writeString(each, gid + "\n");
        }
      }
    }
  }

  @Test
  void withoutAnAddressOfThePortItAsksForOne() throws Exception {
    giveAllPortsTheGid("fe80:0000:0000:0000:dead:beef:dead:beef");
    assertCause("no active RDMA port has a GID", "IPv4 or IPv6 address");
  }

  /** Each interface has such an address by itself, and other nodes do not know it. */
  @Test
  void anAddressOfOneLinkDoesNotSuffice() throws Exception {
    Optional<InetAddress> address =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(each -> each instanceof Inet6Address && each.isLinkLocalAddress())
            .findFirst();
    assumeTrue(address.isPresent(), "this host has no IPv6 address of one link");
    giveAllPortsTheGid(HexFormat.of().formatHex(address.get().getAddress()));
    assertCause("no active RDMA port has a GID", "IPv4 or IPv6 address");
  }

  /** Else a service does not start, where it could serve over another transport. */
  @Test
  void aPortThatIsNoNumberIsACause() throws Exception {
    Path port =
        Files.createDirectories(verbs.sysClass().resolve("infiniband/fake0/ports").resolve("one"));
    Files.writeString(port.resolve("state"), "4: ACTIVE\n");
    assertCause("the RDMA devices cannot be examined", "one");
  }

  @Test
  void passesOnWhyADeviceCannotBeOpened() {
    verbs.fail("open", 0, new IOException("[13] Permission denied"));
    assertCause("Permission denied");
  }
}
