package io.sluice.node.socket;

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
}
