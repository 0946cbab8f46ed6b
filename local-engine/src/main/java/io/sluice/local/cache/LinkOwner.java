package io.sluice.local.cache;

import io.sluice.local.staging.ProcessDirectories;
import io.sluice.local.staging.ProcessDirectories.Owner;
import io.sluice.spill.segment.ProcessDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * The process that has made a link in the working directory. It may run on another host or in
 * another container.
 *
 * <p>Thread contract: immutable. Failure: {@link IOException} if it cannot be determined whether
 * the process is alive.
 */
final class LinkOwner {
  /** Types of file systems to which only one host writes. */
  private static final Set<String> OF_ONE_HOST =
      Set.of("btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs");

  private final Path link;
  private final Path target;
  private final Owner owner;

  private LinkOwner(Path link, Path target, Owner owner) {
    this.link = link;
    this.target = target;
    this.owner = owner;
  }

  /** The owner of a link; empty if no engine has made it. */
  static Optional<LinkOwner> of(Path link, Path target) {
    return ProcessDirectories.ownerOf(target).map(owner -> new LinkOwner(link, target, owner));
  }

  /**
   * Whether the job of the link has ended: a job removes its copies after its links. If not, {@link
   * #ifDead} checks its process.
   */
  boolean hasGone() throws IOException {
    if (owner.isSeen()) {
      return Files.notExists(target);
    }
    if (!owner.process().isOfThisBoot() && isOfOneHost(link.getParent())) {
      // A container may have its own boot number, and a host may export its file systems.
      if (!Files.notExists(owner.directory()) && isOfOneHost(owner.directory())) {
        return Files.notExists(target); // its lock is visible from here
      }
      if (Files.notExists(owner.directory()) && owner.process().isOfThisHost()) {
        return true; // it ran before this host's last boot
      }
    }
    throw new IOException(
        link
            + " is a link of "
            + jobs()
            + "; whether that job still runs cannot be determined from here. Give the job's"
            + " file another name (path#name), or remove the link if that job has ended");
  }

  private static boolean isOfOneHost(Path path) throws IOException {
    return isOfOneHost(Files.getFileStore(path).type());
  }

  /** Whether only one host writes to file systems of this type. */
  static boolean isOfOneHost(String fileSystemType) {
    return OF_ONE_HOST.contains(fileSystemType);
  }

  /** Runs the action if the process is dead; returns whether it is. */
  boolean ifDead(ProcessDirectory.AfterDeath action) throws IOException {
    try {
      return ProcessDirectory.ifDead(owner.directory(), action);
    } catch (IOException e) {
      throw new IOException(
          link
              + " is a link of "
              + jobs()
              + "; whether that job still runs cannot be determined: "
              + e
              + ". Remove the link if that job has ended",
          e);
    }
  }

  /** The job and process of the link, for messages. */
  String jobs() {
    for (Path part : owner.directory().relativize(target)) {
      if (part.toString().startsWith("job_")) {
        return part + " of " + owner.process();
      }
    }
    return "a job of " + owner.process();
  }

  /** Names the process if it is an ancestor of this one. */
  Optional<String> starter() {
    long pid = owner.process().pid();
    Optional<ProcessHandle> above = ProcessHandle.current().parent();
    while (above.isPresent() && above.get().pid() != pid) {
      above = above.get().parent();
    }
    return above
        .filter(process -> owner.process().sharesPids())
        .map(process -> "a program of process " + pid);
  }
}
