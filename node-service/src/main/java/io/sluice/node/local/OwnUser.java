package io.sluice.node.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The user of this process, as {@code MessageStream.peerUser} calls users.
 *
 * <p>Thread contract: stateless.
 */
final class OwnUser {
  private OwnUser() {}

  /** Its name. */
  static String name() throws IOException {
    return Files.getOwner(Path.of("/proc/self")).getName();
  }
}
