package io.sluice.spill.memory;

/**
 * What one borrower may keep at most, as of now: {@link Long#MAX_VALUE} if it was not told to give
 * any of that back, or has.
 *
 * @param epoch rises with each time that it is told
 * @param sortBytes of its sort buffer, without what is its own
 * @param receiveBytes of what it receives into
 */
public record RevocationNotice(long epoch, long sortBytes, long receiveBytes) {
  /** Before the first. */
  public static final RevocationNotice NONE =
      new RevocationNotice(0, Long.MAX_VALUE, Long.MAX_VALUE);
}
