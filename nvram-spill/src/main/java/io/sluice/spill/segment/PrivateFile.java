package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A short text in a file that this process's user alone can open, whatever the umask is and
 * whatever the directory permits.
 *
 * <p>Thread contract: stateless; one process at a time writes a file. Failure: {@link IOException},
 * and the file is as it was.
 */
public final class PrivateFile {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private PrivateFile() {}

  /** Makes it, or replaces it, all at once. */
  public static void replace(Path file, String text) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(temporary); // of a process that was killed
    Files.createFile(temporary, OWNER_ONLY);
    Files.writeString(temporary, text, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
