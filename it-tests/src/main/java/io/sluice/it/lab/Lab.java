package io.sluice.it.lab;

import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Runs suites in guests, one guest after the other.
 *
 * <p>Not thread-safe. A suite's files stay in its share, {@code it-tests/target/lab/SUITE}, until
 * it runs again: console, reports, logs.
 */
public final class Lab {
  private static final String LIBRARY = "guest.sh";
  private static final int CPUS = 2;
  public static final int PEER_MEMORY_MB = 3072;

  /** Of one guest: QEMU's translated code, which is bounded, and the rest of QEMU. */
  public static final int EMULATOR_MB = 512;

  /** To its first word; emulated, on a machine that is busy. */
  private static final Duration BOOT_TIME = Duration.ofMinutes(6);

  private final Workspace workspace;
  private final LabTools tools;
  private final Console console;
  private final boolean kvm;

  /** A lab on a machine that can boot guests: see {@link LabTools#cause}. */
  public Lab(Workspace workspace, LabTools tools, Console console, boolean kvm) {
    this.workspace = workspace;
    this.tools = tools;
    this.console = console;
    this.kvm = kvm;
  }

  /**
   * Runs a suite in one guest to its end, whatever that is.
   *
   * @param campaign whether tests that take long run too
   */
  public LabResult run(LabSuite suite, boolean campaign) {
    long startNs = System.nanoTime();
    announce(suite.id() + ": " + suite.title());
    Path share = newShare(suite.id());
    GuestSpec spec =
        spec(suite.id(), CPUS, suite.memoryMb(), suite.deadline())
            .withNvdimms(nvdimms(share, suite.nvdimms()));
    String script = suite.script(spec, campaign);
    try (Guest guest = boot(spec, share, script, this::show)) {
      return result(suite, guest, guest.await(), share, startNs);
    }
  }

  /** Runs a suite in a guest that has a second one at the other end of a wire. */
  public LabResult runOnTwoHosts(LabSuite suite) {
    long startNs = System.nanoTime();
    announce(suite.id() + ": " + suite.title() + ", between two hosts");
    Path share = newShare(suite.id() + "-2-hosts");
    GuestSpec spec = spec(suite.id(), CPUS, suite.memoryMb(), suite.deadline()).onWire(freePort());
    String script =
        "lab_properties+=(\"-Dsluice.lab.peer=$lab_share/peer\")\n" + suite.script(spec, true);
    // Each waits for the other, so this does not wait until they have booted.
    try (Guest guest = start(spec, share, script, this::show);
        Guest peer = startPeer(guest, spec, share)) {
      int status = guest.await();
      if (!peer.isAlive()) {
        throw new LabException("the second guest ended before the first:\n" + peer.tail());
      }
      return result(suite, guest, status, share, startNs);
    }
  }

  /** QEMU connects to a port where nobody listens yet without an error, and its wire is dead. */
  private Guest startPeer(Guest first, GuestSpec spec, Path share) {
    String listens = "0100007F:%04X 00000000:0000 0A".formatted(spec.link().orElseThrow().port());
    Poll.untilTrue(
        "the first guest's end of the wire",
        BOOT_TIME,
        () -> {
          if (!first.isAlive()) {
            throw new LabException("the first guest ended before its wire:\n" + first.tail());
          }
          return Files.readAllLines(Path.of("/proc/net/tcp")).stream()
              .anyMatch(line -> line.contains(listens));
        });
    return start(spec.peer(PEER_MEMORY_MB), share, "lab_peer", this::show);
  }

  /** Says what begins now. */
  public void announce(String title) {
    console.say("");
    console.say("== " + title);
  }

  private static LabResult result(
      LabSuite suite, Guest guest, int status, Path share, long startNs) {
    long wallMs = (System.nanoTime() - startNs) / 1_000_000;
    return LabResult.ofTests(suite, status, TestReports.in(share), wallMs, guest.tail());
  }

  private void show(String line) {
    TestJvm.show(line).ifPresent(console::say);
  }

  /** Opens a shell in a guest with everything that any suite has. */
  public int shell() {
    Path share = newShare("shell");
    GuestSpec spec =
        spec("shell", CPUS, 4096, LabSuite.STORE.deadline()).withNvdimms(nvdimms(share, 2));
    Path script =
        writeScript(
            spec, share, "lab_huge_pages 512\nlab_persistent_memory\ncd \"$lab_root\"\nbash -i");
    return Guest.interactive(tools, spec, share, script);
  }

  /** An emulated machine as this lab was told to make it, with no NVDIMM yet. */
  public GuestSpec spec(String name, int cpus, int memoryMb, Duration deadline) {
    return GuestSpec.single(name, cpus, memoryMb, kvm, deadline);
  }

  /**
   * Boots a guest that runs a script after {@code guest.sh}; the caller awaits or closes it. One
   * that does not come as far as to say a word is booted once more, which the console says.
   *
   * @param lines gets every line of its console
   */
  public Guest boot(GuestSpec spec, Path share, String script, Consumer<String> lines) {
    Guest guest = start(spec, share, script, lines);
    if (guest.speaksWithin(BOOT_TIME)) {
      return guest;
    }
    guest.close();
    console.say(
        "guest %s ended or hung before it said a word, and is booted once more:%s"
            .formatted(spec.name(), guest.tail()));
    return start(spec, share, script, lines);
  }

  private Guest start(GuestSpec spec, Path share, String script, Consumer<String> lines) {
    makeMountPoints(share);
    Path written = writeScript(spec, share, script);
    return Guest.start(tools, spec, share, written, lines);
  }

  /** A root of its own is read-only to the guest, and lacks directories that this machine has. */
  private void makeMountPoints(Path share) {
    if (tools.root().isEmpty()) {
      return;
    }
    List<String> directories = new ArrayList<>(views());
    directories.add(share.toString());
    for (String directory : directories) {
      Path made = Path.of(tools.root().get() + directory);
      try {
        Files.createDirectories(made);
      } catch (IOException e) {
        throw new LabException("cannot make " + made + ": " + ErrorText.of(e));
      }
    }
  }

  /** The empty directory that guests of a suite can write to. */
  public Path newShare(String name) {
    Path share = workspace.root().resolve("it-tests/target/lab").resolve(name);
    try {
      Workspace.delete(share);
      return Files.createDirectories(share);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make " + share, e);
    }
  }

  /** Sparse files that keep what a guest wrote to its NVDIMMs. */
  public static List<Path> nvdimms(Path share, int count) {
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Path file = share.resolve("nvdimm" + i);
      try (RandomAccessFile created = new RandomAccessFile(file.toFile(), "rw")) {
        created.setLength(GuestSpec.NVDIMM_BYTES);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot make " + file, e);
      }
      files.add(file);
    }
    return files;
  }

  /** A port of the loopback interface on which nobody listens just now. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("no free port", e);
    }
  }

  /**
   * Writes a script that a guest runs into the share: settings, {@code guest.sh}, which lies beside
   * it, and the lines.
   */
  private Path writeScript(GuestSpec spec, Path share, String lines) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("lab_share", share.toString());
    settings.put("lab_root", workspace.root().toString());
    settings.put("lab_views", String.join(" ", views()));
    settings.put("lab_address", spec.address());
    settings.put("lab_mac", spec.link().map(GuestSpec.Link::mac).orElse(""));
    settings.put("lab_class_path", workspace.testClassPath());
    settings.put("lab_seed", TestJvm.seedArgument().orElse(""));
    settings.put("lab_caches", SparkDistribution.userCaches().toString());
    String assignments =
        settings.entrySet().stream()
            .map(setting -> "%s='%s'%n".formatted(setting.getKey(), setting.getValue()))
            .collect(Collectors.joining());
    try (InputStream library = Lab.class.getResourceAsStream("/lab/" + LIBRARY)) {
      Files.write(share.resolve(LIBRARY), library.readAllBytes());
      return Files.writeString(
          share.resolve(spec.name() + ".sh"),
          assignments + ". " + share.resolve(LIBRARY) + "\n" + lines + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the guest's script in " + share, e);
    }
  }

  /**
   * Top directories of everything that a JVM in the guest reads often; below {@code /tmp}, which a
   * guest has to itself, those that are in it. A guest with a root of its own has its own JDK.
   */
  private Set<String> views() {
    Set<String> views = new LinkedHashSet<>();
    String jdk = tools.root().isPresent() ? "" : System.getProperty("java.home") + ":";
    String paths = jdk + SparkDistribution.userCaches() + ":" + workspace.testClassPath();
    for (String entry : paths.split(":")) {
      Path path = Path.of(entry);
      int names = path.startsWith("/tmp") ? 2 : 1;
      views.add(path.getRoot().resolve(path.subpath(0, names)).toString());
    }
    return views;
  }

  /** A guest that did not boot, hung, or broke; the message has the end of its console. */
  public static final class LabException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public LabException(String message) {
      super(message);
    }

    public LabException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
