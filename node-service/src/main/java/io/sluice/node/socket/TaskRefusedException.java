package io.sluice.node.socket;

import io.sluice.node.wire.RemoteError;

/** A task is not served; what it is told, and what is counted. */
public final class TaskRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final RefusalKind kind;
  private final RemoteError.Code code;

  /** The message goes to the task, too. */
  public TaskRefusedException(RefusalKind kind, RemoteError.Code code, String message) {
    super(message);
    this.kind = kind;
    this.code = code;
  }

  /** What is counted. */
  public RefusalKind kind() {
    return kind;
  }

  /** What the task is told. */
  public RemoteError.Code code() {
    return code;
  }
}
