package io.sluice.node.socket;

/** The users whose tasks a service serves. */
public enum ServedUsers {
  /** Those of its own user, which need no native call for it. */
  OWN,
  /** Tasks of the user of each application: they are sent descriptors of segments. */
  ALL
}
