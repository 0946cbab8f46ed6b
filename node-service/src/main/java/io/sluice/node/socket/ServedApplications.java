package io.sluice.node.socket;

import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.spill.segment.Owner;

/**
 * Knows the users of applications, and keeps their secrets, for a {@link SocketServer}.
 *
 * <p>Thread contract: called from the threads of all connections.
 */
public interface ServedApplications {
  /**
   * Returns if a task of that user may speak for the application, and keeps the secret that it
   * brings.
   *
   * @throws TaskRefusedException if it may not
   * @throws RemoteError if the application has another secret already, or it cannot be kept
   */
  void admit(String applicationId, Owner task, JobSecret secret)
      throws TaskRefusedException, RemoteError;

  /**
   * Returns if an application that was admitted has not ended since. Asked once a lease is open: of
   * what was open before, its end takes care.
   *
   * @throws TaskRefusedException if it has
   */
  default void confirm(String applicationId, Owner task) throws TaskRefusedException {}

  /** The users whose tasks a service serves. */
  enum ServedUsers {
    /** Those of its own user, which need no native call for it. */
    OWN,
    /** Tasks of the user of each application: they are sent descriptors of segments. */
    ALL
  }

  /** A task is not served; carries its answer and the kind that is counted. */
  final class TaskRefusedException extends Exception {
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
}
