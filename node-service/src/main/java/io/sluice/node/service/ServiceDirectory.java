package io.sluice.node.service;

import io.sluice.spill.segment.PlaceUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Sees to it that nobody but the service's own user can reach its directory: it often lies where
 * everybody may create one, and whoever owns it could put a socket of his own in place of the
 * service's and be told the secrets of jobs.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} if it is somebody else's.
 */
public final class ServiceDirectory {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private static final String SOCKET_NAME = "control.sock";

  private ServiceDirectory() {}

  /** Creates the directory, or checks that it is ours and closes it to others. */
  public static void prepare(Path directory, PlaceUse use) throws IOException {
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(directory + " is no directory; give the service one of its own");
    }
    use.check(directory);
    Files.setPosixFilePermissions(directory, OWNER_ONLY);
  }

  /** Where the service of a directory listens for the tasks of its node. */
  public static Path socket(Path directory) {
    return directory.resolve(SOCKET_NAME);
  }
}
