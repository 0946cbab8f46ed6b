package io.sluice.hadoop.task;

import io.sluice.mapreduce.id.TaskNames;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapreduce.JobID;

/** Connects a task to the service of its own node. */
public final class NodeLink {

  private NodeLink() {}

  /** Connects to the node's service on behalf of {@code borrower}, a task of {@code job}. */
  public static SocketClient connect(
      NodeMetadata service, JobID job, Borrower borrower, SecretKey secret, Timeouts timeouts)
      throws IOException {
    Path socket = service.address().socket();
    try {
      return SocketClient.connect(
          socket,
          service.owner(),
          borrower,
          TaskNames.application(job),
          jobSecret(secret),
          timeouts);
    } catch (IOException e) {
      throw new IOException(reason(service, Owner.ofThisProcess(), e), e);
    }
  }

  /** Names both users: the directory of a service that serves one user is closed to all others. */
  private static String reason(NodeMetadata service, Owner task, IOException failure) {
    String own =
        service.owner().equals(task)
            ? ""
            : " (the service is user id "
                + service.owner()
                + "'s, this task runs as user id "
                + task
                + ")";
    return "this node's Sluice service does not serve this task at "
        + service.address().socket()
        + ": "
        + text(failure)
        + own;
  }

  /** The messages of file exceptions often are the file's name alone. */
  private static String text(IOException failure) {
    if (failure instanceof AccessDeniedException closed) {
      return closed.getFile() + " is closed to other users";
    }
    if (failure instanceof NoSuchFileException missing) {
      return missing.getFile() + " is not there";
    }
    return ErrorText.of(failure);
  }

  /** The job's shuffle secret, for the node protocols. */
  public static JobSecret jobSecret(SecretKey secret) {
    return new JobSecret(secret.getEncoded());
  }
}
