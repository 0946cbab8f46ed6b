package io.sluice.spill.ledger;

/**
 * What tasks can count on.
 *
 * @param claimBytes what a map's sort buffer may take from outputs, less what the map has of its
 *     own; what is beyond is a loan
 * @param waitMs longest wait for what the service frees
 * @param revokeMs how long a holder has to obey a notice
 * @param wantMs how long something that was refused counts as wanted
 */
public record GrantTerms(long claimBytes, long waitMs, long revokeMs, long wantMs) {
  /** Those of a node, unless it is told otherwise. */
  public static final GrantTerms DEFAULT = new GrantTerms(32L << 20, 2_000, 10_000, 1_000);
}
