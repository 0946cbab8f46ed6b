package io.sluice.tools.doctor;

import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.segment.Owner;
import io.sluice.tools.doctor.Doctor.Trial;
import io.sluice.tools.doctor.Finding.ByteSize;
import io.sluice.tools.doctor.Finding.ShellWord;
import io.sluice.tools.doctor.PoolCandidate.Mounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Checks one candidate for a pool: its kind of storage, its free space, and whether a NIC can
 * register memory there.
 *
 * @param path a directory or a device-DAX device
 * @param files where the kernel shows sizes
 * @param mounts where the kernel lists them
 * @param hasMapSync whether a file in a directory can be mapped with MAP_SYNC
 * @param trial registers a file on it
 */
record PoolCandidateCheck(
    Path path, SystemFiles files, Mounts mounts, Predicate<Path> hasMapSync, Trial trial) {
  private static final long DEFAULT_POOL_BYTES = 1L << 30;

  List<Finding> look() {
    String subject = "pool on " + path;
    if (!Files.exists(path)) {
      return List.of(
          Finding.problem(
              subject,
              "no pool can lie here",
              "it does not exist",
              "create it, or set sluice.pool.dir to a directory that exists"));
    }
    Optional<Mounts.Mount> readOnly = readOnlyMount();
    if (readOnly.isPresent()) {
      return List.of(
          Finding.problem(
              subject,
              "no pool can lie here",
              "it is mounted read-only",
              "mount -o remount,rw %s, or give the container a tmpfs of its own there; or set"
                      .formatted(ShellWord.of(readOnly.get().point()))
                  + " sluice.pool.dir to another directory"));
    }
    if (!Files.isWritable(path)) {
      return List.of(notWritable(subject));
    }
    try {
      PoolCandidate candidate = PoolCandidate.at(path, files, mounts, hasMapSync);
      return Stream.of(Optional.of(nature(subject, candidate)), shortage(subject, candidate))
          .flatMap(Optional::stream)
          .toList();
    } catch (IOException e) {
      return List.of(
          Finding.problem(
              subject,
              "no pool can lie here",
              ErrorText.of(e),
              "set sluice.pool.dir to another directory"));
    }
  }

  private Optional<Mounts.Mount> readOnlyMount() {
    try {
      return mounts.of(path.toRealPath()).filter(Mounts.Mount::isReadOnly);
    } catch (IOException e) {
      return Optional.empty(); // a parent directory is closed to this user: not writable either
    }
  }

  private Finding notWritable(String subject) {
    String user;
    try {
      user = Owner.nameOfThisProcess();
    } catch (IOException e) {
      throw new UncheckedIOException("/proc is not mounted", e);
    }
    return Finding.problem(
        subject,
        "this user can have no pool here",
        "user %s may not write to it".formatted(user),
        "chown %s %s, or set sluice.pool.dir to another directory"
            .formatted(ShellWord.of(user), ShellWord.of(path)));
  }

  private Finding nature(String subject, PoolCandidate candidate) {
    Optional<Trial.Outcome> outcome;
    try {
      outcome = candidate.freeBytes() == 0 ? Optional.empty() : trial.of(candidate.path());
    } catch (IOException e) {
      outcome = Optional.empty(); // the finding says that it was not tried
    }
    String what =
        "%s, %s free; %s"
            .formatted(
                candidate.kind().words(),
                ByteSize.of(candidate.freeBytes()),
                registration(candidate.kind(), outcome));
    Optional<String> refusal = outcome.flatMap(Trial.Outcome::refusal);
    return switch (candidate.kind()) {
      case DAX_SYNC ->
          Finding.info(
              subject,
              what,
              refusal.orElse("kernels do not pin pages of a DAX file system for a NIC"),
              "to let a NIC read it in place: umount %s; ndctl create-namespace -f -e NAMESPACE"
                      .formatted(ShellWord.of(candidate.mount().point()))
                  + " --mode=devdax (deletes its content), then set the pool to /dev/daxX.Y");
      case DAX -> withoutMapSync(subject, what, candidate.mount());
      case DISK ->
          PoolCandidate.isOnPmem(candidate.mount())
              ? withoutMapSync(subject, what, candidate.mount())
              : Finding.problem(
                  subject,
                  what,
                  "map outputs would be written to a disk",
                  "set sluice.pool.dir to a directory in memory, such as one in "
                      + PoolCandidate.DEFAULT);
      case TMPFS, HUGETLBFS, DEVICE_DAX ->
          refusal
              .map(
                  cause ->
                      Finding.problem(
                          subject,
                          what,
                          cause,
                          "fix the findings about RDMA and locked memory above"))
              .orElseGet(() -> Finding.ok(subject, what));
    };
  }

  private static Finding withoutMapSync(String subject, String what, Mounts.Mount mount) {
    return Finding.problem(
        subject,
        what,
        "the kernel refuses MAP_SYNC here, so flushed stores are not persistent yet",
        "umount %1$s; mount -o dax=always %2$s %1$s"
            .formatted(ShellWord.of(mount.point()), ShellWord.of(mount.device())));
  }

  private static Optional<Finding> shortage(String subject, PoolCandidate candidate) {
    if (candidate.freeBytes() >= DEFAULT_POOL_BYTES) {
      return Optional.empty();
    }
    String enlarge =
        switch (candidate.kind()) {
          case TMPFS ->
              "mount -o remount,size=2g %s; or ".formatted(ShellWord.of(candidate.mount().point()));
          case HUGETLBFS -> "sysctl -w vm.nr_hugepages=512 (for pages of 2 MiB); or ";
          default -> "";
        };
    return Optional.of(
        Finding.problem(
            subject,
            "%s free, too little for the default pool"
                .formatted(ByteSize.of(candidate.freeBytes())),
            "the default pool takes " + ByteSize.of(DEFAULT_POOL_BYTES),
            enlarge + "lower sluice.node.memory-mb"));
  }

  private static String registration(PoolCandidate.Kind kind, Optional<Trial.Outcome> outcome) {
    return outcome
        .map(
            tried ->
                "a NIC %s register it (tried over %s)"
                    .formatted(tried.refusal().isEmpty() ? "can" : "did not", tried.transport()))
        .orElseGet(
            () ->
                "a NIC %s register it (not tried here; true for this kind of storage)"
                    .formatted(kind.registers() ? "can" : "cannot"));
  }
}
