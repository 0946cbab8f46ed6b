package io.sluice.node.socket;

/** Whose tasks a service serves. */
public enum ServedUsers {
  /** Those of its own user, which need no native call for it. */
  OWN,
  /** Those of every user whose application it is: segments are passed to them as open files. */
  ALL
}
