package io.sluice.local.task;

import io.sluice.memory.fs.stream.OpenWriters;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Who an attempt is to Hadoop: the client's user, with the job's credentials and file systems that
 * no task beside it has. As on a cluster, a task that closes a file system closes it for itself.
 * Tasks that follow each other share them, also those of other jobs: a static field may hold one.
 * Where Hadoop is secured all attempts share the client's login, and what hangs on it.
 *
 * <p>Thread contract: safe from any thread. Ownership: file systems are closed by Hadoop at the end
 * of the process.
 */
final class TaskUser {
  /** Of those that no task uses now, by name; there are as many as there were tasks at a time. */
  private static final Map<String, ArrayDeque<UserGroupInformation>> IDLE = new HashMap<>();

  private TaskUser() {}

  /** Something that an attempt does. */
  interface Action {
    /** Does it. */
    void run() throws Exception;
  }

  /** Does something as a user of its own. */
  static void run(Credentials credentials, Action action) throws Exception {
    UserGroupInformation client = UserGroupInformation.getCurrentUser();
    if (UserGroupInformation.isSecurityEnabled()) {
      as(client, action);
      return;
    }
    UserGroupInformation user = take(client.getUserName());
    try {
      user.addCredentials(client.getCredentials());
      user.addCredentials(credentials);
      as(user, action);
    } finally {
      OpenWriters.closeOf(user); // as those of a task that is a process
      giveBack(user);
    }
  }

  private static UserGroupInformation take(String name) {
    synchronized (IDLE) {
      UserGroupInformation idle = IDLE.computeIfAbsent(name, of -> new ArrayDeque<>()).poll();
      return idle != null ? idle : UserGroupInformation.createRemoteUser(name);
    }
  }

  private static void giveBack(UserGroupInformation user) {
    synchronized (IDLE) {
      IDLE.get(user.getUserName()).push(user);
    }
  }

  private static void as(UserGroupInformation user, Action action) throws Exception {
    Throwable[] failure = new Throwable[1];
    try {
      user.doAs(
          (PrivilegedExceptionAction<Void>)
              () -> {
                try {
                  action.run();
                } catch (Throwable e) {
                  failure[0] = e;
                }
                return null;
              });
    } catch (UndeclaredThrowableException e) {
      throw new IOException(e);
    }
    if (failure[0] instanceof Exception e) {
      throw e;
    } else if (failure[0] instanceof Error e) {
      throw e;
    } else if (failure[0] != null) {
      throw new IOException(failure[0]);
    }
  }
}
