package io.sluice.node.socket;

import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.ServedApplications.ServedUsers;
import io.sluice.node.socket.ServedApplications.TaskRefusedException;
import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Owner;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;

/**
 * Reads the first message of a task's connection, and refuses a task that the service does not
 * serve: by its user, by its application, or by the way in which it wants to open segments.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link TaskRefusedException} and {@link
 * RemoteError}, with the answer to the task.
 */
record TaskGreeter(Versions versions, SocketServer.Backend backend, Owner own) {
  /** How a task opens segments, and what it borrows for. */
  record Task(SegmentAccess access, Borrower borrower) {}

  /**
   * The first message of a connection.
   *
   * @param version of the protocol that both sides use
   * @param applicationId that the task says it works for
   * @param owner the task's user
   * @param task null if it listens
   * @param generation of the lease for which it listens
   */
  record Opening(
      int version,
      String applicationId,
      Owner owner,
      JobSecret secret,
      Task task,
      long generation) {}

  /** Reads a HELLO or a LISTEN, and admits its task. */
  Opening greet(Frames.Frame request, MessageStream stream)
      throws IOException, TaskRefusedException {
    Owner owner = owner(stream);
    Opening opening;
    try {
      opening = read(request, owner);
    } catch (EOFException | ProtocolException | IllegalArgumentException e) {
      throw badMessage(ErrorText.of(e));
    }
    admit(opening);
    return opening;
  }

  /** The task's user, if any application of it could be served. */
  private Owner owner(MessageStream stream) throws IOException, TaskRefusedException {
    if (backend.served() == ServedUsers.ALL) {
      return new Owner(stream.credentials().orElseThrow().uid());
    }
    String user = stream.peerUser();
    String ownName = Owner.nameOfThisProcess();
    if (!user.equals(ownName)) {
      throw new TaskRefusedException(
          RefusalKind.WRONG_USER,
          RemoteError.Code.REFUSED,
          "this pool belongs to user %s and serves no other; the task runs as %s"
              .formatted(ownName, user));
    }
    return own;
  }

  private Opening read(Frames.Frame request, Owner owner) throws IOException {
    boolean listens = request.type() == SocketProtocol.LISTEN;
    DataInputStream in = request.in();
    if (!listens && request.type() != SocketProtocol.HELLO) {
      throw new ProtocolException("a task opened with message type " + request.type());
    }
    int version = versions.chosenWith(versions.readOf(in, "the task", "this service"));
    String applicationId = Bounded.readString(in);
    OutputId.check("application id", applicationId);
    JobSecret secret = new JobSecret(Bounded.readBytes(in, JobSecret.MAX_SECRET_BYTES));
    if (listens) {
      return new Opening(version, applicationId, owner, secret, null, in.readLong());
    }
    Task task = new Task(SocketProtocol.readAccess(in), SocketProtocol.readBorrower(in));
    checkAccess(owner, task.access());
    return new Opening(version, applicationId, owner, secret, task, 0);
  }

  private void checkAccess(Owner owner, SegmentAccess access) throws ProtocolException {
    boolean isOwn = owner.equals(own);
    String why = null;
    if (access == SegmentAccess.NAMES && !isOwn) {
      why = "segments of user id " + owner + " have no names for it, and are passed";
    } else if (access == SegmentAccess.DESCRIPTORS && backend.served() == ServedUsers.OWN) {
      why = "this service serves its own user alone, and passes no files";
    } else if (access == SegmentAccess.DESCRIPTORS
        && isOwn
        && !Files.isDirectory(backend.store().paths().pool())) {
      why = "the pool is one device: a descriptor of it shows every segment";
    }
    if (why != null) {
      throw new ProtocolException(why);
    }
  }

  private void admit(Opening opening) throws RemoteError, TaskRefusedException {
    try {
      backend.applications().admit(opening.applicationId(), opening.owner(), opening.secret());
    } catch (RemoteError e) {
      switch (e.code()) {
        case REFUSED ->
            throw new TaskRefusedException(RefusalKind.WRONG_SECRET, e.code(), e.getMessage());
        case BAD_REQUEST ->
            throw new TaskRefusedException(RefusalKind.BAD_MESSAGE, e.code(), e.getMessage());
        default -> throw e; // none of the task's doing
      }
    }
  }

  static TaskRefusedException badMessage(String text) {
    return new TaskRefusedException(RefusalKind.BAD_MESSAGE, RemoteError.Code.BAD_REQUEST, text);
  }
}
