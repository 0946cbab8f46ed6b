package io.sluice.it.lab;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.TestReports;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs suites in guests, one guest after the other.
 *
 * <p>Not thread-safe. A suite's files stay in its share, {@code it-tests/target/lab/SUITE}, until
 * it runs again: console, reports, logs.
 */
public final class Lab {
  private static final int PEER_MEMORY_MB = 3072;

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

  /** Runs a suite in one guest to its end, whatever that is. */
  public SuiteResult run(LabSuite suite) {
    long startNs = System.nanoTime();
    announce(suite.id() + ": " + suite.title());
    Path share = newShare(suite.id());
    GuestSpec spec =
        GuestSpec.single(suite.id(), suite.memoryMb(), kvm, suite.deadline())
            .withNvdimms(nvdimms(share, suite.nvdimms()));
    Path script = GuestScript.write(workspace, spec, share, suite.script());
    try (Guest guest = Guest.start(tools, spec, share, script, this::show)) {
      return result(suite, guest.await(), share, startNs);
    }
  }

  /** Runs a suite in a guest that has a second one at the other end of a wire. */
  public SuiteResult runOnTwoHosts(LabSuite suite) {
    long startNs = System.nanoTime();
    announce(suite.id() + ": " + suite.title() + ", between two hosts");
    Path share = newShare(suite.id() + "-2-hosts");
    GuestSpec spec =
        GuestSpec.single(suite.id(), suite.memoryMb(), kvm, suite.deadline())
            .onWire(FreePort.find());
    GuestSpec peerSpec = spec.peer(PEER_MEMORY_MB);
    Path script =
        GuestScript.write(
            workspace,
            spec,
            share,
            "lab_properties+=(\"-Dsluice.lab.peer=$lab_share/peer\")\n" + suite.script());
    Path peerScript = GuestScript.write(workspace, peerSpec, share, "lab_peer");
    try (Guest guest = Guest.start(tools, spec, share, script, this::show);
        Guest peer = Guest.start(tools, peerSpec, share, peerScript, this::show)) {
      int status = guest.await();
      if (!peer.isAlive()) {
        console.say("  the second guest ended before the first:\n" + peer.tail());
        status = status == 0 ? 1 : status;
      }
      return result(suite, status, share, startNs);
    }
  }

  private void announce(String title) {
    console.say("");
    console.say("== " + title);
  }

  private static SuiteResult result(LabSuite suite, int status, Path share, long startNs) {
    long wallMs = (System.nanoTime() - startNs) / 1_000_000;
    return new SuiteResult(suite, status, TestReports.in(share), wallMs);
  }

  private void show(String line) {
    TestFeed.show(line).ifPresent(console::say);
  }

  /** Opens a shell in a guest with everything that any suite has. */
  public int shell() {
    Path share = newShare("shell");
    GuestSpec spec =
        GuestSpec.single("shell", 4096, kvm, LabSuite.STORE.deadline())
            .withNvdimms(nvdimms(share, 2));
    Path script =
        GuestScript.write(
            workspace,
            spec,
            share,
            "lab_huge_pages 512\nlab_persistent_memory\ncd \"$lab_root\"\nbash -i");
    return Guest.interactive(tools, spec, share, script);
  }

  private Path newShare(String name) {
    Path share = workspace.root().resolve("it-tests/target/lab").resolve(name);
    try {
      Workspace.delete(share);
      return Files.createDirectories(share);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make " + share, e);
    }
  }

  /** Sparse files that keep what a guest wrote to its NVDIMMs. */
  private static List<Path> nvdimms(Path share, int count) {
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
}
