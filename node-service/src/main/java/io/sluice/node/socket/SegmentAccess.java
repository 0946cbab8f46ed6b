package io.sluice.node.socket;

/** How a task gets at the segments that it is told of, as it says when it comes. */
public enum SegmentAccess {
  /** It opens them by their names, as a process of the pool's own user can. */
  NAMES,
  /** The service opens them and passes their descriptors over the socket. */
  DESCRIPTORS
}
