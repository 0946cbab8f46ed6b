package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The user of this process, as Java calls the owners of files: by name, or by user id if it has no
 * name, as in many containers. The property {@code user.name} is a question mark then.
 *
 * <p>Thread contract: stateless.
 */
public final class ProcessUser {
  private ProcessUser() {}

  /** Its name; the digits of its user id if it has none. */
  public static String name() throws IOException {
    return Files.getOwner(Path.of("/proc/self")).getName();
  }
}
