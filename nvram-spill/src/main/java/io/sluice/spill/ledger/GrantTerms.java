package io.sluice.spill.ledger;

/**
 * Limits of grants and revocations.
 *
 * @param claimBytes most that a map's sort buffer may take from outputs, together with the map's
 *     own buffer; memory beyond that is a loan
 * @param waitMs longest wait for memory that the service frees
 * @param revokeMs how long a holder has to obey a notice
 * @param wantMs how long a refused request counts as wanted
 */
public record GrantTerms(long claimBytes, long waitMs, long revokeMs, long wantMs) {
  /** The defaults of a node. */
  public static final GrantTerms DEFAULT = new GrantTerms(32L << 20, 2_000, 10_000, 1_000);

  /** How long a request waits. */
  public enum WaitLimit {
    /** Not at all. */
    NONE,
    /** For memory that the service itself can free, a short time at most. */
    COMING,
    /** Also for memory that other tasks may give back: its task has no other tier to write to. */
    LAST
  }
}
