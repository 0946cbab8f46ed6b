package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The user whose bytes a segment may hold, as the kernel knows users, not as YARN does. No two
 * owners ever share a file.
 *
 * @param uid the kernel's number, unsigned
 */
public record Owner(int uid) {
  /** The user of this process. */
  public static Owner ofThisProcess() throws IOException {
    return new Owner(TrustedPath.userId());
  }

  /**
   * The user of this process by name, as Java calls the owners of files. A user without a name, as
   * in many containers, is called by the digits of its id; the property {@code user.name} is a
   * question mark then.
   */
  public static String nameOfThisProcess() throws IOException {
    return Files.getOwner(Path.of("/proc/self")).getName();
  }

  /** The number, as names and messages have it. */
  @Override
  public String toString() {
    return Integer.toUnsignedString(uid);
  }
}
