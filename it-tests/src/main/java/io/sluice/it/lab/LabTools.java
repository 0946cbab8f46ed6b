package io.sluice.it.lab;

import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The programs of this machine that boot a guest. {@link #cause} says what is missing; the other
 * methods may be called only when nothing is.
 *
 * <p>Immutable; looks at the file system once.
 */
public final class LabTools {
  private static final String QEMU = "qemu-system-x86_64";
  private static final String ASK =
      "run ./sluice lab to be asked about what is missing, or ./sluice lab --install";
  private static final String READ =
      "./sluice lab names what else is missing; its packages are known for Debian alone";

  private final Optional<Path> vng;
  private final Optional<Path> qemu;
  private final Optional<Path> kernel;
  private final boolean hasApt;

  /**
   * With these.
   *
   * @param hasApt whether {@code ./sluice} can install packages here
   */
  LabTools(Optional<Path> vng, Optional<Path> qemu, Optional<Path> kernel, boolean hasApt) {
    this.vng = vng;
    this.qemu = qemu;
    this.kernel = kernel;
    this.hasApt = hasApt;
  }

  /** Looks around. */
  public static LabTools find(Workspace workspace) {
    Path ownVng = workspace.root().resolve("target/lab/venv/bin/vng");
    return new LabTools(
        Files.isExecutable(ownVng) ? Optional.of(ownVng) : onPath("vng"),
        onPath(QEMU),
        newestKernel(Path.of("/boot"), Path.of("/lib/modules")),
        onPath("apt-get").isPresent());
  }

  /** These, wherever they are. */
  static LabTools of(Path vng, Path kernel) {
    return new LabTools(Optional.of(vng), Optional.empty(), Optional.of(kernel), false);
  }

  /** Why no guest can be booted here, and what to install; empty if one can. */
  public Optional<String> cause() {
    String architecture = System.getProperty("os.arch");
    if (!architecture.equals("amd64")) {
      return Optional.of("the guest is x86-64 and this machine is " + architecture);
    }
    String advice = hasApt ? ASK : READ;
    if (qemu.isEmpty()) {
      return Optional.of(QEMU + " is not installed; " + advice);
    }
    if (kernel.isEmpty()) {
      return Optional.of("no kernel in /boot has the module rdma_rxe in /lib/modules; " + advice);
    }
    if (vng.isEmpty()) {
      return Optional.of("virtme-ng is not installed; " + ASK);
    }
    return Optional.empty();
  }

  Path vng() {
    return vng.orElseThrow();
  }

  /** Where the programs are that come with it. */
  Path programs() {
    return vng().getParent();
  }

  Path kernel() {
    return kernel.orElseThrow();
  }

  /** The highest release among the kernels that have a soft RDMA device. */
  static Optional<Path> newestKernel(Path boot, Path modules) {
    if (!Files.isDirectory(boot)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(boot)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("vmlinuz-"))
          .filter(file -> hasSoftRdma(modules.resolve(release(file))))
          .max(Comparator.comparing(LabTools::releaseNumbers, Arrays::compare));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + boot, e);
    }
  }

  private static boolean hasSoftRdma(Path modules) {
    Path directory = modules.resolve("kernel/drivers/infiniband/sw/rxe");
    return Stream.of("", ".xz", ".zst", ".gz")
        .anyMatch(suffix -> Files.exists(directory.resolve("rdma_rxe.ko" + suffix)));
  }

  private static String release(Path kernel) {
    return kernel.getFileName().toString().substring("vmlinuz-".length());
  }

  private static int[] releaseNumbers(Path kernel) {
    return Stream.of(release(kernel).split("\\D+"))
        .filter(part -> !part.isEmpty() && part.length() < 10)
        .mapToInt(Integer::parseInt)
        .toArray();
  }

  private static Optional<Path> onPath(String program) {
    List<String> directories = List.of(System.getenv().getOrDefault("PATH", "").split(":"));
    return Stream.concat(directories.stream(), Stream.of("/usr/sbin", "/sbin"))
        .map(directory -> Path.of(directory, program))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
