package io.sluice.rdma.transport.faulty;

/** What can go wrong with a read. */
public enum FaultKind {
  /** The read is never answered and runs into its deadline. */
  DROP,
  /** The read is issued late. */
  DELAY,
  /** Some bytes arrive, then the stream is cut. */
  TRUNCATE,
  /** The read completes normally with one bit of its data changed: what checksums are for. */
  BIT_FLIP,
  /** The server refuses. */
  WRONG_KEY,
  /** The connection ends. */
  DISCONNECT
}
