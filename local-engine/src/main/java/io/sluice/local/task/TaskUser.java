package io.sluice.local.task;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Who an attempt is to Hadoop: the job's user, with the job's credentials and file systems of its
 * own. As on a cluster, an attempt that closes a file system closes it for itself alone. Where
 * Hadoop is secured all attempts share the client's login, and what hangs on it.
 *
 * <p>Thread contract: one thread. Ownership: whoever makes it closes it, which closes its file
 * systems with all that the task has left open there.
 */
final class TaskUser implements Closeable {
  private final UserGroupInformation user;
  private final boolean isOwn;

  /** Of an attempt that this thread runs. */
  TaskUser(Credentials credentials) throws IOException {
    UserGroupInformation client = UserGroupInformation.getCurrentUser();
    isOwn = !UserGroupInformation.isSecurityEnabled();
    user = isOwn ? UserGroupInformation.createRemoteUser(client.getUserName()) : client;
    if (isOwn) {
      user.addCredentials(client.getCredentials());
      user.addCredentials(credentials);
    }
  }

  /** Something that it does. */
  interface Action {
    /** Does it. */
    void run() throws Exception;
  }

  /** Does something as this user. */
  void run(Action action) throws Exception {
    try {
      user.doAs(
          (PrivilegedExceptionAction<Void>)
              () -> {
                action.run();
                return null;
              });
    } catch (UndeclaredThrowableException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @Override
  public void close() throws IOException {
    if (isOwn) {
      FileSystem.closeAllForUGI(user);
    }
  }
}
