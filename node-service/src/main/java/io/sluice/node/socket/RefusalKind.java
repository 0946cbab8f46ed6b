package io.sluice.node.socket;

import java.util.Locale;

/** Why a task or reader, or one of its requests, was refused; a label of metrics. */
public enum RefusalKind {
  /** It runs as a user whose tasks are not served, or not for this application. */
  WRONG_USER,

  /** The application is known here with another secret, or it could prove none. */
  WRONG_SECRET,

  /** This node has started nothing of the application. */
  UNKNOWN_APPLICATION,

  /** It asked for a segment of another user's, or for one to write to that it was not granted. */
  FOREIGN_SEGMENT,

  /** It asked for more open files before it had received those that it was sent. */
  UNTAKEN_FILES,

  /** Its output is not as it said, or lies outside of its grants. */
  BAD_OUTPUT,

  /** It sent a message that breaks the protocol. */
  BAD_MESSAGE,

  /** As many are served as the limits allow, or a user cannot be looked up now: it may retry. */
  TOO_MANY;

  /** As counters and messages call it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
