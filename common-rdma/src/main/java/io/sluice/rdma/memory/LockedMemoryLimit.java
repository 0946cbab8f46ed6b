package io.sluice.rdma.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How much memory this process may still pin for a NIC, and the message for when that is not
 * enough.
 *
 * <p>It is checked before each registration. After a failed one, UCX and the kernel do not name the
 * limit. The kernel counts pinned pages (VmPin) against RLIMIT_MEMLOCK unless the process has
 * CAP_IPC_LOCK.
 *
 * <p>Thread contract: immutable; reads /proc at every call.
 */
public final class LockedMemoryLimit {
  private static final int CAP_IPC_LOCK = 14;
  private static final String UNLIMITED = "unlimited";

  private final Path limits;
  private final Path status;

  /** The limit of this process. */
  public LockedMemoryLimit() {
    this(Path.of("/proc/self/limits"), Path.of("/proc/self/status"));
  }

  /**
   * The limit of the process to which these files belong; they have the form of those in {@code
   * /proc/self}.
   */
  public LockedMemoryLimit(Path limits, Path status) {
    this.limits = limits;
    this.status = status;
  }

  /** How many more bytes may be pinned; {@link Long#MAX_VALUE} if there is no limit. */
  public long allowedBytes() throws IOException {
    String soft = field(limits, "Max locked memory");
    return soft.equals(UNLIMITED) || mayLockAnything()
        ? Long.MAX_VALUE
        : Math.max(0, Long.parseLong(soft) - pinnedBytes());
  }

  /**
   * Why {@code askedBytes} more must not be pinned, and the setting to raise; empty if they may.
   */
  public Optional<String> refusal(long askedBytes) throws IOException {
    long allowedBytes = allowedBytes();
    if (askedBytes <= allowedBytes) {
      return Optional.empty();
    }
    long pinnedBytes = pinnedBytes();
    long limitBytes = Long.parseLong(field(limits, "Max locked memory"));
    return Optional.of(
        "cannot pin "
            + askedBytes
            + " bytes: RLIMIT_MEMLOCK of this process allows "
            + limitBytes
            + " bytes and "
            + pinnedBytes
            + " are pinned already; raise it with `ulimit -l unlimited` before the process starts,"
            + " LimitMEMLOCK=infinity in its systemd unit, or `memlock unlimited` for its user in"
            + " /etc/security/limits.conf");
  }

  private long pinnedBytes() throws IOException {
    return Long.parseLong(field(status, "VmPin:")) << 10;
  }

  private boolean mayLockAnything() throws IOException {
    return (Long.parseUnsignedLong(field(status, "CapEff:"), 16) >>> CAP_IPC_LOCK & 1) != 0;
  }

  /** The first word after a line's label. */
  private static String field(Path file, String label) throws IOException {
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(label)) {
        return line.substring(label.length()).trim().split("\\s+")[0];
      }
    }
    throw new IOException(file + " has no line that starts with \"" + label + '"');
  }
}
