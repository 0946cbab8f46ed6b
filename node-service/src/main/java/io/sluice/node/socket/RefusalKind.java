package io.sluice.node.socket;

import java.util.Locale;

/** Why a task or reader was not served, or not in what it asked, for those who watch a node. */
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

  /** What it committed is not what it said, or lies where it was granted nothing. */
  BAD_OUTPUT,

  /** What it sent makes no sense. */
  BAD_MESSAGE,

  /** As many are served as may be, or what is to be asked does not answer: it may come again. */
  TOO_MANY;

  /** As counters and messages call it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
