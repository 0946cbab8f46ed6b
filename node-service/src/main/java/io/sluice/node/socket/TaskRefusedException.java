package io.sluice.node.socket;

import io.sluice.node.wire.RemoteError;

/** A task is not served; carries its answer and the kind that is counted. */
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

  /** The kind that is counted. */
  public RefusalKind kind() {
    return kind;
  }

  /** The code of the answer. */
  public RemoteError.Code code() {
    return code;
  }
}
