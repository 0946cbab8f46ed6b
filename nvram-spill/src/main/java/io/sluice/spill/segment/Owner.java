package io.sluice.spill.segment;

import java.io.IOException;

/**
 * Whose bytes a segment holds: a user as the kernel names him, not as YARN does. No two owners ever
 * share a file.
 *
 * @param uid as the kernel has it, unsigned
 */
public record Owner(int uid) {
  /** The user of this process. */
  public static Owner ofThisProcess() throws IOException {
    return new Owner(TrustedPath.userId());
  }

  /** The number, as names and messages have it. */
  @Override
  public String toString() {
    return Integer.toUnsignedString(uid);
  }
}
