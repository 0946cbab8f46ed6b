package io.sluice.node.service;

import io.sluice.node.socket.RefusalKind;
import io.sluice.node.socket.ServedApplications;
import io.sluice.node.socket.TaskRefusedException;
import io.sluice.node.wire.FilesId;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.Owner;
import java.io.IOException;

/**
 * Which tasks a service serves: those whose user may speak for their application ({@link
 * ApplicationOwners}), which is known from then on ({@link ApplicationRegistry}).
 *
 * <p>Looking up a user takes as long as the directory of users takes, and the application may end
 * meanwhile. It is then forgotten once more: else its outputs would stay for ever.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link TaskRefusedException} and {@link
 * RemoteError}, as those say.
 */
final class TaskAdmission implements ServedApplications {
  private final ApplicationOwners owners;
  private final ApplicationRegistry registry;

  TaskAdmission(ApplicationOwners owners, ApplicationRegistry registry) {
    this.owners = owners;
    this.registry = registry;
  }

  @Override
  public void admit(String applicationId, Owner task, JobSecret secret)
      throws TaskRefusedException, RemoteError {
    owners.check(applicationId, task);
    registry.register(applicationId, task, secret);
    confirm(applicationId, task);
  }

  @Override
  public void confirm(String applicationId, Owner task) throws TaskRefusedException {
    if (FilesId.ownerOf(applicationId).isPresent()) {
      return; // they do not end with the user's last application
    }
    try {
      owners.check(applicationId, task);
    } catch (TaskRefusedException e) {
      if (e.kind() == RefusalKind.UNKNOWN_APPLICATION) { // it was here a moment ago
        Closer.after(e, () -> forget(applicationId));
      }
      throw e;
    }
    if (registry.ownerOf(applicationId).isEmpty()) { // the service's own user is never looked up
      throw new TaskRefusedException(
          RefusalKind.UNKNOWN_APPLICATION,
          RemoteError.Code.REFUSED,
          applicationId + " has ended on this node");
    }
  }

  /** Frees what an application has. */
  interface Freeing {
    void run() throws IOException;
  }

  /**
   * The application has ended. It is forgotten first: a task that was admitted and opens its lease
   * after all else is freed is not confirmed. And once more: one that came meanwhile has registered
   * it anew.
   */
  void ended(String applicationId, Freeing freeing) throws IOException {
    Closer.all(() -> forget(applicationId), freeing::run, () -> forget(applicationId));
  }

  /** An application has ended; its outputs are freed later. */
  void forget(String applicationId) throws IOException {
    owners.forget(applicationId);
    registry.forget(applicationId);
  }
}
