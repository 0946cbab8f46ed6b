package io.sluice.node.service;

/** The transports that peers may try without authentication. */
public enum Probes {
  /** None: one of many services on a host, which is never probed. */
  NONE,

  /** The public pattern, over transports that give away nothing else. */
  CONFINED,

  /** The public pattern over every transport: for a process that holds nothing worth reading. */
  ALL
}
