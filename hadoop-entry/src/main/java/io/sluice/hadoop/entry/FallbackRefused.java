package io.sluice.hadoop.entry;

/**
 * A map that Sluice cannot collect, in a job that has ruled out everything else. An error, because
 * a map task answers an exception with the next collector of the job's list.
 */
public final class FallbackRefused extends Error {
  private static final long serialVersionUID = 1L;

  /** For this reason, in plain words. */
  public FallbackRefused(String reason) {
    super(reason);
  }
}
