package io.sluice.spill.memory;

/**
 * The most memory that one borrower may keep, as of now: {@link Long#MAX_VALUE} of a kind that it
 * was not told to give back, or has given back.
 *
 * @param epoch rises with each notice
 * @param sortBytes of its sort buffer, without its own part
 * @param receiveBytes of memory that it receives into
 */
public record RevocationNotice(long epoch, long sortBytes, long receiveBytes) {
  /** Before the first notice. */
  public static final RevocationNotice NONE =
      new RevocationNotice(0, Long.MAX_VALUE, Long.MAX_VALUE);
}
