package io.sluice.node.service;

import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.ServedApplications;
import io.sluice.node.socket.ServedApplications.TaskRefusedException;
import io.sluice.node.wire.FilesId;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Admits the tasks whose user may speak for their application ({@link ApplicationOwners}). The
 * application is known from then on ({@link ApplicationRegistry}).
 *
 * <p>Looking up a user takes as long as the directory of users takes, and the application may end
 * meanwhile. It is then forgotten once more: else its outputs would stay for ever.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link TaskRefusedException} and {@link
 * RemoteError}, as those say.
 */
record TaskAdmission(ApplicationOwners owners, ApplicationRegistry registry)
    implements ServedApplications {
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
        try {
          forget(applicationId);
        } catch (IOException notForgotten) { // an Error is told by itself
          e.addSuppressed(notForgotten);
        }
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

  /**
   * Says which user may speak for an application. The secret alone does not: who guesses or steals
   * it must not lease, or commit outputs, in somebody else's name.
   *
   * <pre>
   *   the task is the service's own user's         yes: it could open the pool anyway
   *   nothing of the application was started here  later, while a service that has just started
   *                                                may still be told; then no
   *   the engine expects a user                    that one
   *   the engine cannot tell                       the first that comes, until the end
   *   it is a user's files                         that user, if any process of the user runs here
   * </pre>
   *
   * <p>Differs from {@link ApplicationRegistry} in that it knows no secrets and keeps nothing over
   * a restart.
   */
  static final class ApplicationOwners {
    /** Within it a NodeManager that recovers has named the containers that it found. */
    static final long SETTLED_MS = 10_000;

    private final Owner own;
    private final ApplicationUsers users;
    private final LongSupplier clockNs;
    private final long startNs;
    private final Map<String, Owner> first = new ConcurrentHashMap<>();

    ApplicationOwners(Owner own, ApplicationUsers users) {
      this(own, users, System::nanoTime);
    }

    ApplicationOwners(Owner own, ApplicationUsers users, LongSupplier clockNs) {
      this.own = own;
      this.users = users;
      this.clockNs = clockNs;
      this.startNs = clockNs.getAsLong();
    }

    /** Returns if a process of {@code task} may speak for the application. */
    void check(String applicationId, Owner task) throws TaskRefusedException {
      if (task.equals(own)) {
        return;
      }
      Optional<Owner> ofFiles = FilesId.ownerOf(applicationId);
      if (ofFiles.isPresent()) {
        requireSame(applicationId, ofFiles.get(), task);
        requireHere(applicationId, task, hasProcessesOf(task));
        return;
      }
      requireHere(applicationId, task, users.isHere(applicationId));
      requireSame(applicationId, expected(applicationId, task), task);
    }

    private void requireHere(String applicationId, Owner task, boolean here)
        throws TaskRefusedException {
      if (!here) {
        boolean settled =
            clockNs.getAsLong() - startNs >= TimeUnit.MILLISECONDS.toNanos(SETTLED_MS);
        throw new TaskRefusedException(
            RefusalKind.UNKNOWN_APPLICATION,
            settled ? RemoteError.Code.REFUSED : RemoteError.Code.BUSY,
            "nothing of %s was started on this node; the task runs as user id %s"
                .formatted(applicationId, task));
      }
    }

    private static void requireSame(String applicationId, Owner expected, Owner task)
        throws TaskRefusedException {
      if (!task.equals(expected)) {
        throw new TaskRefusedException(
            RefusalKind.WRONG_USER,
            RemoteError.Code.REFUSED,
            "%s is of user id %s; the task runs as user id %s"
                .formatted(applicationId, expected, task));
      }
    }

    private boolean hasProcessesOf(Owner user) throws TaskRefusedException {
      try {
        return users.hasProcessesOf(user);
      } catch (IOException e) {
        throw notNow("whether anything of user id " + user + " runs here", e);
      }
    }

    private static TaskRefusedException notNow(String what, IOException cause) {
      return new TaskRefusedException(
          RefusalKind.TOO_MANY,
          RemoteError.Code.BUSY,
          what + " is not known now: " + ErrorText.of(cause));
    }

    private Owner expected(String applicationId, Owner task) throws TaskRefusedException {
      Optional<Owner> expected;
      try {
        expected = users.expected(applicationId);
      } catch (IOException e) {
        throw notNow("the user of " + applicationId, e);
      }
      return expected.orElseGet(() -> first.computeIfAbsent(applicationId, id -> task));
    }

    /** Forgets an application, known or not. */
    void forget(String applicationId) {
      first.remove(applicationId);
    }
  }
}
