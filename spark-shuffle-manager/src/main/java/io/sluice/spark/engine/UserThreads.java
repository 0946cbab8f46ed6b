package io.sluice.spark.engine;

import io.sluice.rdma.threads.DaemonThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadPoolExecutor;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Makes {@link DaemonThreads} that run as the user of an executor, as Spark's own threads do. On
 * YARN only that user has the secret that Spark's connections need. A program may log in another
 * user for the process.
 *
 * <p>Thread contract: immutable.
 */
public final class UserThreads {
  private final UserGroupInformation user;

  private UserThreads(UserGroupInformation user) {
    this.user = user;
  }

  /** For the user of the current thread: an executor's start calls this, not a task. */
  public static UserThreads ofCurrentUser() {
    try {
      return new UserThreads(UserGroupInformation.getCurrentUser());
    } catch (IOException e) {
      throw new UncheckedIOException("this process has no user", e);
    }
  }

  /** A thread that is not started yet. */
  public Thread create(String name, Runnable body) {
    return DaemonThreads.create(
        name,
        () ->
            user.doAs(
                (PrivilegedAction<Void>)
                    () -> {
                      body.run();
                      return null;
                    }));
  }

  /** As {@link DaemonThreads#executor(String, int, long)}. */
  public ThreadPoolExecutor executor(String name, int threads, long idleMs) {
    ThreadPoolExecutor executor = DaemonThreads.executor(name, threads, idleMs);
    executor.setThreadFactory(body -> create(name, body));
    return executor;
  }
}
