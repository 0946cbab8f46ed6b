package io.sluice.node.local;

import java.util.Locale;

/** Why a task was not served, for those who watch a node. */
public enum RefusalKind {
  /** It runs as a user whose tasks are not served, or not for this application. */
  WRONG_USER,

  /** The application is known here with another secret. */
  WRONG_SECRET,

  /** This node has started nothing of the application. */
  UNKNOWN_APPLICATION,

  /** What it sent makes no sense. */
  BAD_MESSAGE,

  /** As many are served as may be, or what is to be asked does not answer: it may come again. */
  TOO_MANY;

  /** As counters and messages call it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
