package io.sluice.it.limit;

import io.sluice.it.limit.CgroupV1.DeviceThrottle;
import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.it.limit.ResourceGroups.OwnGroups;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A file system on a block device that nobody else uses: a file behind a loop device, so that its
 * rate can be bounded and its counters are one user's.
 *
 * <p>The file is allocated at once, and the loop device reads and writes it with direct I/O: bytes
 * are cached in the mounted file system's pages only, which count against who touches them.
 *
 * <p>Not thread-safe. Its maker closes it, after the processes that use it; {@link #removeLeft}
 * does so for an owner that was killed. A failure is a {@link LimitException} with the output of
 * the system's program.
 */
public final class LoopVolume implements AutoCloseable {
  private static final List<String> PROGRAMS =
      List.of("fallocate", "losetup", "mkfs.ext4", "mount", "umount", "sync");
  private static final String IMAGE = ".img";
  private static final Duration BUSY_DEADLINE = Duration.ofSeconds(30);
  private static final long PAUSE_MS = 50;
  private static final int READ_AHEAD_KB = 1024;

  private final Path image;
  private final Path mount;
  private final String loop;

  private LoopVolume(Path image, String loop) {
    this.image = image;
    this.mount = mountOf(image);
    this.loop = loop;
  }

  /** Why none can be made here; empty if one can. */
  public static Optional<String> unavailableBecause() {
    if (!Files.isWritable(Path.of("/dev/loop-control"))) {
      return Optional.of("/dev/loop-control is missing or not this user's: run as root");
    }
    return PROGRAMS.stream()
        .filter(program -> Programs.find(program).isEmpty())
        .findFirst()
        .map(program -> program + " is not installed");
  }

  /**
   * Makes one, empty and mounted.
   *
   * @param directory where its file is, and the directory it is mounted on
   * @param name of both
   */
  public static LoopVolume create(Path directory, String name, long sizeBytes) {
    Path image = directory.resolve(name + IMAGE);
    try {
      Files.createDirectories(mountOf(image));
      Programs.run("fallocate", "-l", Long.toString(sizeBytes), image.toString());
      String device =
          Programs.run("losetup", "--find", "--show", "--direct-io=on", image.toString());
      LoopVolume volume = new LoopVolume(image, Path.of(device).getFileName().toString());
      volume.requireDirect();
      volume.unlimit(); // who had this device before may have been killed, and its checkout deleted
      volume.format();
      return volume;
    } catch (IOException | LimitException e) {
      LimitException failure = new LimitException("cannot make a volume in " + image, e);
      try {
        remove(image);
      } catch (LimitException also) {
        failure.addSuppressed(also);
      }
      throw failure;
    }
  }

  /** Where it is mounted. */
  public Path mount() {
    return mount;
  }

  /** Its device's numbers, such as 7:0. */
  public String device() {
    return read(system().resolve("dev"));
  }

  /** The use of its device. */
  public DeviceUse use() {
    return DeviceUse.read(system().resolve("stat"));
  }

  /** Bounds its rate; the group's, and in cgroup v1 everybody's. */
  public void limit(ResourceGroup group, DeviceRate rate) {
    group.limitDevice(device(), rate);
  }

  /**
   * Bounds the dirty pages of its files. A node of little memory writes back early; here the kernel
   * goes by the whole machine's memory, which the group does not have.
   */
  public void limitDirty(long bytes) {
    Path cache = Path.of("/sys/class/bdi", device());
    write(cache.resolve("max_bytes"), Long.toString(bytes));
    write(cache.resolve("strict_limit"), "1");
  }

  /** Has all written that is dirty. */
  public void sync() {
    Programs.run("sync", "-f", mount.toString());
  }

  /** Makes the file system anew. */
  public void empty() {
    unmount(mount);
    format();
  }

  /** Forgets what of it is cached. */
  public void dropCache() {
    unmount(mount);
    Programs.run("mount", devicePath(), mount.toString());
  }

  @Override
  public void close() {
    remove(image);
  }

  /** Takes away what is in a directory of volumes whose owner was killed. */
  static void removeLeft(Path directory) {
    try (var files = Files.list(directory)) {
      files.filter(file -> file.toString().endsWith(IMAGE)).toList().forEach(LoopVolume::remove);
    } catch (IOException e) {
      throw new LimitException("cannot list " + directory, e);
    }
  }

  private void format() {
    // What is allocated stays so: while it is measured, the file system below allocates nothing.
    Programs.run(
        "mkfs.ext4",
        "-q",
        "-F",
        "-E",
        "lazy_itable_init=0,lazy_journal_init=0,nodiscard",
        devicePath());
    Programs.run("mount", devicePath(), mount.toString());
    // A request of the default's 128 KiB would make sequential reads of files as slow as seeks.
    write(system().resolve("queue/read_ahead_kb"), Integer.toString(READ_AHEAD_KB));
  }

  private void requireDirect() {
    String direct = read(system().resolve("loop/dio"));
    if (!direct.equals("1")) {
      throw new LimitException(
          "%s has no direct I/O to %s: its pages would be cached twice".formatted(loop, image));
    }
  }

  /** Takes away what there is of the volume in this file. */
  private static void remove(Path image) {
    unmount(mountOf(image));
    for (String device : devicesOf(image)) {
      LoopVolume volume = new LoopVolume(image, Path.of(device).getFileName().toString());
      volume.unlimit();
      Programs.run("losetup", "-d", device);
    }
    try {
      Files.deleteIfExists(image);
      Files.deleteIfExists(mountOf(image));
    } catch (IOException e) {
      throw new LimitException("cannot remove " + image, e);
    }
  }

  /** The bounds lie with the device, which the kernel gives to the next who asks for one. */
  private void unlimit() {
    String device = device();
    try {
      OwnGroups own = OwnGroups.find(KernelFiles.HERE);
      Optional<DeviceThrottle> throttle = DeviceThrottle.find(KernelFiles.HERE, own);
      if (throttle.isPresent()) {
        throttle.get().clear(device);
      }
    } catch (IOException e) {
      throw new LimitException("cannot take the bounds off " + device, e);
    }
    Path cache = Path.of("/sys/class/bdi", device);
    if (Files.exists(cache.resolve("strict_limit"))) {
      write(cache.resolve("strict_limit"), "0");
      write(cache.resolve("max_ratio"), "100");
    }
    write(cache.resolve("read_ahead_kb"), "128");
  }

  private static void unmount(Path mount) {
    long endNs = System.nanoTime() + BUSY_DEADLINE.toNanos();
    while (isMounted(mount)) {
      try {
        Programs.run("umount", mount.toString());
      } catch (LimitException busy) {
        if (System.nanoTime() > endNs) {
          throw busy;
        }
        pause();
      }
    }
  }

  private static boolean isMounted(Path mount) {
    return read(Path.of("/proc/self/mounts"))
        .lines()
        .anyMatch(line -> line.split(" ")[1].equals(mount.toString()));
  }

  /** The loop devices of this very file. */
  private static List<String> devicesOf(Path image) {
    List<String> devices = new ArrayList<>();
    if (Files.exists(image)) {
      for (String line : Programs.run("losetup", "-j", image.toString()).split("\n")) {
        if (line.contains(":")) {
          devices.add(line.substring(0, line.indexOf(':')));
        }
      }
    }
    return devices;
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LimitException("interrupted while a volume was busy", e);
    }
  }

  private static Path mountOf(Path image) {
    String name = image.getFileName().toString();
    return image.resolveSibling(name.substring(0, name.length() - IMAGE.length()));
  }

  private String devicePath() {
    return "/dev/" + loop;
  }

  private Path system() {
    return Path.of("/sys/block", loop);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new LimitException("cannot read " + file, e);
    }
  }

  private static void write(Path file, String text) {
    try {
      KernelFiles.HERE.write(file, text);
    } catch (IOException e) {
      throw new LimitException("cannot write \"%s\" to %s".formatted(text, file), e);
    }
  }

  /** Runs the system's own programs. */
  public static final class Programs {
    private static final long DEADLINE_S = 300;
    private static final List<Path> BESIDES_PATH = List.of(Path.of("/usr/sbin"), Path.of("/sbin"));

    private Programs() {}

    /** Where a program is, on the path or where only root's path leads. */
    public static Optional<Path> find(String program) {
      return Stream.concat(
              Stream.of(System.getenv("PATH").split(":")).map(Path::of), BESIDES_PATH.stream())
          .map(directory -> directory.resolve(program))
          .filter(Files::isExecutable)
          .findFirst();
    }

    /** Runs one to its end and returns what it printed; another status than 0 is an error. */
    public static String run(String program, String... arguments) {
      String path =
          find(program)
              .orElseThrow(() -> new LimitException(program + " is not installed"))
              .toString();
      ProcessBuilder builder =
          new ProcessBuilder(Stream.concat(Stream.of(path), Stream.of(arguments)).toList());
      try {
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String printed =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
          process.destroyForcibly();
          throw new LimitException("%s did not end".formatted(builder.command()));
        }
        if (process.exitValue() != 0) {
          throw new LimitException(
              "%s ended with status %d: %s"
                  .formatted(builder.command(), process.exitValue(), printed));
        }
        return printed;
      } catch (IOException e) {
        throw new LimitException("cannot run " + builder.command(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LimitException("interrupted while %s ran".formatted(builder.command()), e);
      }
    }
  }
}
