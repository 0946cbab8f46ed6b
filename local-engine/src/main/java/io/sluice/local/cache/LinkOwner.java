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
 * The process, perhaps of another host or container, that has made a link in the working directory.
 *
 * <p>Thread contract: immutable. Failure: {@link IOException} if it cannot be told whether it
 * lives.
 */
final class LinkOwner {
  /** File systems that no other host writes to; of all others it may. */
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

  /** Of a link; empty if no engine has made it. */
  static Optional<LinkOwner> of(Path link, Path target) {
    return ProcessDirectories.ownerOf(target).map(owner -> new LinkOwner(link, target, owner));
  }

  /**
   * Whether the job of the link has gone: it removes its copies after its links. If not, {@link
   * #ifDead} tells whether its process lives.
   */
  boolean hasGone() throws IOException {
    if (owner.isSeen()) {
      return Files.notExists(target);
    }
    if (!owner.process().isOfThisBoot() && isOfOneHost(link.getParent())) {
      // Containers may have a boot number of their own, and a host may export its file systems.
      if (!Files.notExists(owner.directory()) && isOfOneHost(owner.directory())) {
        return Files.notExists(target); // its lock is seen from here
      }
      if (Files.notExists(owner.directory()) && owner.process().isOfThisHost()) {
        return true; // it ran before this host was started
      }
    }
    throw new IOException(
        link
            + " is a link of "
            + jobs()
            + ", and whether that still runs cannot be found out from here. Give the job's file"
            + " another name (path#name), or remove the link if that job does not run");
  }

  private static boolean isOfOneHost(Path place) throws IOException {
    return isOfOneHost(Files.getFileStore(place).type());
  }

  /** Whether only one host writes to a file system of that type. */
  static boolean isOfOneHost(String fileSystemType) {
    return OF_ONE_HOST.contains(fileSystemType);
  }

  /** Does something if the process has died, and says whether it has. */
  boolean ifDead(ProcessDirectory.AfterDeath action) throws IOException {
    try {
      return ProcessDirectory.ifDead(owner.directory(), action);
    } catch (IOException e) {
      throw new IOException(
          link
              + " is a link of "
              + jobs()
              + ", and whether that still runs cannot be found out: "
              + e
              + ". Remove the link if it does not",
          e);
    }
  }

  /** Whose link it is, for messages. */
  String jobs() {
    for (Path part : owner.directory().relativize(target)) {
      if (part.toString().startsWith("job_")) {
        return part + " of " + owner.process();
      }
    }
    return "a job of " + owner.process();
  }

  /** A program of that process, if it has started this one. */
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
