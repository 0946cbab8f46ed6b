package io.sluice.node.service;

/** What a service offers to those who want to try its transports and have proved nothing. */
public enum Probes {
  /** Nothing: one of many services on a host, which nobody tries. */
  NONE,

  /** The public pattern, over transports that give away nothing else. */
  CONFINED,

  /** The public pattern over every transport: for a process that holds nothing worth reading. */
  ALL
}
