package io.sluice.node.service;

import io.sluice.spill.segment.PlaceUse;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Sees to it that nobody but the service's own user can reach its directory: it often lies where
 * everybody may create one, and whoever owns it could put a socket of his own in place of the
 * service's and be told the secrets of jobs.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} if it is somebody else's.
 */
public final class ServiceDirectory {
  private static final String SOCKET_NAME = "control.sock";

  private ServiceDirectory() {}

  /** Creates the directory, or checks that it is ours and closes it to others. */
  public static void prepare(Path directory, PlaceUse use) throws IOException {
    PrivateDirectory.prepare(directory, use, "give the service a directory of its own");
  }

  /** Where the service of a directory listens for the tasks of its node. */
  public static Path socket(Path directory) {
    return directory.resolve(SOCKET_NAME);
  }
}
