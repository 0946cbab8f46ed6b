package io.sluice.local.task;

import io.sluice.memory.fs.stream.MemoryOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Hadoop users of one job's attempts: the client's user with the job's credentials. Parallel
 * attempts, and other jobs, have separate file systems; attempts that follow each other with the
 * same class loader share them. So, as on a cluster, a task closes only its own file systems, and
 * credentials, working directory and settings do not pass from one job to the next. With Kerberos
 * all attempts share the client's login and file systems, because only that login can renew its
 * tickets.
 *
 * <p>Thread contract: safe from any thread. Ownership: the job closes it after its attempts, which
 * closes the file systems; an abandoned attempt closes its own when it ends.
 */
final class TaskUsers implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskUsers.class);

  private static final long CLOSE_TIMEOUT_MS = 60_000;

  private final Credentials credentials;

  /** By the class loader of the attempts that have used them; guarded by this. */
  private final Map<ClassLoader, ArrayDeque<UserGroupInformation>> idle = new HashMap<>();

  private boolean closed; // guarded by this

  TaskUsers(Credentials ofJob) {
    this.credentials = ofJob;
  }

  /** The work of an attempt. */
  interface Action {
    /** Runs it. */
    void run() throws Exception;
  }

  /**
   * Runs an action as a user that no parallel attempt has.
   *
   * @param loader of the attempt's classes, whose static fields may hold a file system of its user
   */
  void run(ClassLoader loader, Action action) throws Exception {
    UserGroupInformation client = UserGroupInformation.getCurrentUser();
    if (UserGroupInformation.isSecurityEnabled()) {
      client.addCredentials(credentials);
      as(client, action);
      return;
    }
    UserGroupInformation user = take(loader, client);
    try {
      as(user, action);
    } finally {
      MemoryOutputStream.closeOf(user); // as at the end of a task's process
      giveBack(loader, user);
    }
  }

  private synchronized UserGroupInformation take(ClassLoader loader, UserGroupInformation client) {
    ArrayDeque<UserGroupInformation> ofLoader = idle.get(loader);
    if (ofLoader != null && !ofLoader.isEmpty()) {
      return ofLoader.pop();
    }
    UserGroupInformation user = UserGroupInformation.createRemoteUser(client.getUserName());
    user.addCredentials(client.getCredentials());
    user.addCredentials(credentials);
    return user;
  }

  private void giveBack(ClassLoader loader, UserGroupInformation user) {
    synchronized (this) {
      if (!closed) {
        idle.computeIfAbsent(loader, of -> new ArrayDeque<>()).push(user);
        return;
      }
    }
    close(user);
  }

  /** No further attempt uses the class loader: closes the file systems of its users. */
  void end(ClassLoader loader) {
    ArrayDeque<UserGroupInformation> users;
    synchronized (this) {
      users = idle.remove(loader);
    }
    if (users != null) {
      closeAll(users);
    }
  }

  @Override
  public void close() {
    List<UserGroupInformation> users = new ArrayList<>();
    synchronized (this) {
      closed = true;
      idle.values().forEach(users::addAll);
      idle.clear();
    }
    closeAll(users);
  }

  /**
   * Closes on a thread of its own, because a file system may wait for a server. A successful job
   * neither waits for that without limit nor fails by it.
   */
  private static void closeAll(Collection<UserGroupInformation> users) {
    Thread closing = new Thread(() -> users.forEach(TaskUsers::close), "sluice-file-systems");
    closing.setDaemon(true);
    try {
      closing.start();
    } catch (OutOfMemoryError e) { // no thread could be started
      users.forEach(TaskUsers::close);
      return;
    }
    boolean interrupted = false; // by a kill, which ends the job anyway
    PolledWait wait = new PolledWait(CLOSE_TIMEOUT_MS);
    boolean ended = false;
    while (!ended && !wait.isOver()) {
      try {
        ended = PolledWait.hasEnded(closing);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!ended) {
      LOG.warn(
          "File systems of attempts are not closed yet; their thread still runs, at {}",
          List.of(closing.getStackTrace()));
    }
  }

  private static void close(UserGroupInformation user) {
    try {
      FileSystem.closeAllForUGI(user);
    } catch (Throwable e) { // file systems may be the user's code
      LOG.warn("A file system of an attempt could not be closed", e);
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
