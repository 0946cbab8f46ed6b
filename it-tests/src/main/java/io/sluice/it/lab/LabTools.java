package io.sluice.it.lab;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkDistribution;
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
 * What boots a guest: programs of this machine, a kernel, and the root file system if it is not
 * this machine's. {@link #cause} says what is missing; the other methods may be called only when
 * nothing is.
 *
 * <p>Immutable; looks at the file system once.
 */
public final class LabTools {
  private static final String QEMU = "qemu-system-x86_64";
  private static final String QEMU_AARCH64 = "qemu-system-aarch64";
  private static final String ASK =
      "run ./sluice lab to be asked about what is missing, or ./sluice lab --install";
  private static final String READ =
      "./sluice lab names what else is missing; its packages are known for Debian alone";

  private final Optional<Path> vng;
  private final Optional<Path> qemu;
  private final Optional<Path> kernel;
  private final Optional<Path> root;
  private final boolean hasApt;

  /**
   * With these.
   *
   * @param root of the guest's files, of an aarch64 system; empty if they are this machine's own
   * @param hasApt whether {@code ./sluice} can install packages here
   */
  LabTools(
      Optional<Path> vng,
      Optional<Path> qemu,
      Optional<Path> kernel,
      Optional<Path> root,
      boolean hasApt) {
    this.vng = vng;
    this.qemu = qemu;
    this.kernel = kernel;
    this.root = root;
    this.hasApt = hasApt;
  }

  /** Looks around for what boots a guest of x86-64. */
  public static LabTools find(Workspace workspace) {
    return new LabTools(
        vng(workspace),
        onPath(QEMU),
        newestKernel(Path.of("/boot"), Path.of("/lib/modules")),
        Optional.empty(),
        onPath("apt-get").isPresent());
  }

  /** Looks around for what boots a guest of aarch64, whose files {@code setup/install.sh} makes. */
  public static LabTools findAarch64(Workspace workspace) {
    Path root = SparkDistribution.userCaches().resolve("sluice/lab/aarch64");
    return new LabTools(
        vng(workspace),
        onPath(QEMU_AARCH64),
        newestKernel(root.resolve("boot"), root.resolve("lib/modules")),
        Optional.of(root),
        onPath("apt-get").isPresent());
  }

  /** These, wherever they are. */
  static LabTools of(Path vng, Path kernel) {
    return new LabTools(
        Optional.of(vng), Optional.empty(), Optional.of(kernel), Optional.empty(), false);
  }

  private static Optional<Path> vng(Workspace workspace) {
    Path own = workspace.root().resolve("target/lab/venv/bin/vng");
    return Files.isExecutable(own) ? Optional.of(own) : onPath("vng");
  }

  /** Why no guest can be booted here, and what to install; empty if one can. */
  public Optional<String> cause() {
    String architecture = System.getProperty("os.arch");
    if (!architecture.equals("amd64")) {
      return Optional.of("guests boot on x86-64 and this machine is " + architecture);
    }
    String advice = hasApt ? ASK : READ;
    if (qemu.isEmpty()) {
      return Optional.of((root.isEmpty() ? QEMU : QEMU_AARCH64) + " is not installed; " + advice);
    }
    if (kernel.isEmpty()) {
      String where = root.map(Path::toString).orElse("");
      return Optional.of(
          "no kernel in %s/boot has the module rdma_rxe in %1$s/lib/modules; %s"
              .formatted(where, advice));
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

  /** The directory that the guest sees as {@code /}, if that is not this machine's own. */
  Optional<Path> root() {
    return root;
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
