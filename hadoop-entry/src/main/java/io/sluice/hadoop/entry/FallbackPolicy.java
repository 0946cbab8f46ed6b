package io.sluice.hadoop.entry;

import java.util.Locale;
import org.apache.hadoop.conf.Configuration;

/** Whether stock may take over from Sluice in a job; read here too, where Java may be too old. */
public enum FallbackPolicy {
  /** It may, and that is counted. */
  AUTO,
  /** It may not: what Sluice cannot do fails, and says why. */
  NEVER;

  /** The setting of a job. */
  public static final String KEY = "sluice.fallback.policy";

  /**
   * The policy of a job.
   *
   * @throws IllegalArgumentException if the setting has another value
   */
  public static FallbackPolicy of(Configuration conf) {
    String value = conf.getTrimmed(KEY, AUTO.value());
    for (FallbackPolicy policy : values()) {
      if (policy.value().equals(value)) {
        return policy;
      }
    }
    throw new IllegalArgumentException(
        KEY + " is '" + value + "', expected one of " + AUTO.value() + ", " + NEVER.value());
  }

  /** As it is set. */
  public String value() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * What to fail with.
   *
   * @param reason why stock would have to take over
   * @return null if it may
   */
  public String refusal(String reason) {
    return this == AUTO ? null : KEY + " is " + value() + ", and " + reason;
  }

  /**
   * A map that Sluice cannot collect, in a job that has ruled out everything else. An error,
   * because a map task answers an exception with the next collector of the job's list.
   */
  public static final class FallbackRefused extends Error {
    private static final long serialVersionUID = 1L;

    /** For this reason, in plain words. */
    public FallbackRefused(String reason) {
      super(reason);
    }
  }
}
