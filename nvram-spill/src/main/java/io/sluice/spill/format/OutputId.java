package io.sluice.spill.format;

/**
 * Name of one map output: the application that frees it and the attempt that wrote it.
 *
 * @param applicationId for example {@code application_1_0001}
 * @param outputId unique in the application, for example {@code attempt_1_0001_m_000003_0}
 */
public record OutputId(String applicationId, String outputId) {
  /** Longest id, in characters. */
  public static final int MAX_LENGTH = 255;

  public OutputId {
    check("application id", applicationId);
    check("output id", outputId);
  }

  /**
   * Checks one of the two ids: 1 to {@value #MAX_LENGTH} printable ASCII characters, no blanks.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  public static void check(String what, String id) {
    if (id.isEmpty() || id.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          what + " has " + id.length() + " characters, allowed are 1 to " + MAX_LENGTH);
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      if (c <= ' ' || c > '~') {
        throw new IllegalArgumentException(
            "%s has character 0x%s at %s, allowed is printable ASCII without blanks"
                .formatted(what, Integer.toHexString(c), i));
      }
    }
  }

  @Override
  public String toString() {
    return applicationId + "/" + outputId;
  }
}
