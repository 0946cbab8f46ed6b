package io.sluice.node.socket;

/** How a task opens the segments of its extents; it says so when it connects. */
public enum SegmentAccess {
  /** By their names, as a process of the pool's own user can. */
  NAMES,
  /** By descriptors: the service opens the files and sends them over the socket. */
  DESCRIPTORS
}
