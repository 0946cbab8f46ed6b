package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.TransportChooser.MissingProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.tools.MainSources;
import io.sluice.tools.doctor.Finding.Level;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users read of a host with an RDMA device: what runs there, why not RDMA, and the fix. */
class RdmaSituationsTest {
  private static final Path ROOT = Path.of("..");
  private static final String CHOSEN = "transport chosen";
  private static final String RESTART =
      "; then restart the NodeManager or the service here, which chooses when it starts";

  private static MainSources sources;
  private static String page;

  @TempDir private Path directory;
  private Tree machine;

  @BeforeAll
  static void read() throws IOException {
    sources = MainSources.read(ROOT);
    page = Files.readString(ROOT.resolve("docs/doctor.md"));
  }

  /** A host that has all that verbs needs, and nothing that only ucx and disni need. */
  @BeforeEach
  void create() {
    machine =
        new Tree(directory)
            .withAddress()
            .withDeviceFiles()
            .without("/dev/infiniband/rdma_cm")
            .withRdmaCore()
            .withMemlock("unlimited");
  }

  /** What the provider says in the sources, with the values in place of the gaps. */
  private static String said(String message, Object... values) {
    assertTrue(sources.say(message), message);
    String text = message;
    for (Object value : values) {
      text = text.replaceFirst(MainSources.ANYTHING, value.toString());
    }
    return text;
  }

  private Map<String, Finding> look(Optional<String> verbsFailure) throws IOException {
    TransportChooser chooser =
        new TransportChooser(
            List.of(
                new StandInProvider("verbs", verbsFailure),
                new StandInProvider("ucx", Optional.of("libucx did not load")),
                new MissingProvider("disni", "its jar is not there"),
                new TcpProvider()));
    Map<String, List<InetAddress>> addresses =
        Map.of("dummy0", List.of(InetAddress.getByName("10.77.0.1")));
    return new HostTransports(
            machine.files(),
            addresses,
            Finding.ok("native calls", "work"),
            chooser,
            new FakeTrial(Optional.empty()))
        .look().stream().collect(Collectors.toMap(Finding::subject, finding -> finding));
  }

  /** Expects problems of these subjects, and a choice that says the same of the reason. */
  private static void assertTcpInstead(
      Map<String, Finding> findings, String cause, String problem) {
    assertEquals(
        List.of(problem, "transport verbs"),
        findings.values().stream()
            .filter(finding -> finding.level() == Level.PROBLEM)
            .map(Finding::subject)
            .sorted()
            .toList());
    Finding chosen = findings.get(CHOSEN);
    assertEquals("tcp, so data goes without RDMA", chosen.what());
    assertEquals("verbs does not work here: " + cause, chosen.cause());
    assertEquals(findings.get(problem).remedy() + RESTART, chosen.remedy());
  }

  private static void assertOnPage(Finding finding) {
    String text = finding.toText().indent(4);
    assertTrue(page.contains(text), text);
  }

  @Test
  void whereVerbsWorksNothingElseIsMissed() throws IOException {
    Map<String, Finding> findings = look(Optional.empty());
    assertEquals(
        List.of(), findings.values().stream().filter(it -> it.level() == Level.PROBLEM).toList());
    assertEquals(Finding.ok(CHOSEN, "verbs"), findings.get(CHOSEN));
    assertEquals(Level.INFO, findings.get("libraries of ucx").level());
    Finding ucx = findings.get("transport ucx");
    assertTrue(
        ucx.remedy()
            .startsWith("nothing: transport verbs does the same and needs less; to use ucx"),
        ucx.remedy());
    assertTrue(ucx.remedy().contains("apt-get install libucx0"), ucx.remedy());
    assertOnPage(findings.get("libraries of ucx"));
  }

  private List<Finding> lookAtName(String name) throws IOException {
    Map<String, List<InetAddress>> addresses =
        Map.of(
            "eth0",
            List.of(InetAddress.getByName("10.0.0.1")),
            "dummy0",
            List.of(InetAddress.getByName("10.77.0.1")));
    return new HostNameCheck(machine.files(), addresses, () -> name).look();
  }

  @Test
  void whereTheHostNameIsOfAnotherNetwork() throws IOException {
    Finding finding = lookAtName("10.0.0.1").get(0);
    assertEquals(Level.INFO, finding.level());
    assertOnPage(finding);
    assertEquals(List.of(), lookAtName("10.77.0.1"));
    machine.without("/sys/class/infiniband/rxe0/ports/1/gids/1");
    assertEquals(List.of(), lookAtName("10.0.0.1"));
  }

  @Test
  void withoutRdmaCore() throws IOException {
    machine
        .without("/usr/lib/x86_64-linux-gnu/libibverbs.so.1")
        .without("/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so");
    String cause =
        said(
            "libibverbs.so.1 does not load (…); install rdma-core (Debian: libibverbs1 and"
                + " ibverbs-providers; Red Hat: libibverbs)",
            "libibverbs.so.1: cannot open shared object file: No such file or directory");
    Map<String, Finding> findings = look(Optional.of(cause));
    assertTcpInstead(findings, cause, "RDMA libraries");
    Finding libraries = findings.get("RDMA libraries");
    assertTrue(libraries.what().startsWith("missing: libibverbs.so.1, "), libraries.what());
    assertTrue(libraries.remedy().startsWith("apt-get install rdma-core"), libraries.remedy());
  }

  @Test
  void inAContainerWithoutDevices() throws IOException {
    machine.without("/dev/infiniband/uverbs0");
    String cause =
        said(
            "… has no uverbs device; load the kernel module ib_uverbs, or in a container pass that"
                + " directory in",
            "/dev/infiniband");
    Map<String, Finding> findings = look(Optional.of(cause));
    assertTcpInstead(findings, cause, "RDMA from programs");
    assertOnPage(findings.get("RDMA from programs"));
    assertOnPage(findings.get(CHOSEN));
  }

  @Test
  void withLittleLockedMemory() throws IOException {
    machine.withMemlock("65536");
    String cause =
        said(
            "cannot pin … bytes: RLIMIT_MEMLOCK of this process allows … bytes and … are pinned"
                + " already; raise it with `ulimit -l unlimited` before the process starts,"
                + " LimitMEMLOCK=infinity in its systemd unit, or `memlock unlimited` for its user"
                + " in /etc/security/limits.conf",
            16 << 20,
            65_536,
            0);
    Map<String, Finding> findings = look(Optional.of(cause));
    assertTcpInstead(findings, cause, "locked memory");
    assertEquals("64 KiB may be pinned for a NIC", findings.get("locked memory").what());
    assertOnPage(findings.get("locked memory"));
  }

  @Test
  void withoutAnIpAddressOfThePort() throws IOException {
    machine.without("/sys/class/infiniband/rxe0/ports/1/gids/1");
    String cause =
        said(
            "no active RDMA port has a GID for an IP address of this host; give the port's network"
                + " interface an IPv4 or IPv6 address");
    Map<String, Finding> findings = look(Optional.of(cause));
    assertTcpInstead(findings, cause, "RDMA port rxe0:1");
    assertEquals("ip addr add ADDRESS/PREFIX dev dummy0" + RESTART, findings.get(CHOSEN).remedy());
    assertOnPage(findings.get("RDMA port rxe0:1"));
  }
}
