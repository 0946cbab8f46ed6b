package io.sluice.local.job;

import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Makes the threads of a job: each as the user who submitted it, since newer JDKs do not hand that
 * down, and with the class loader that it was submitted with.
 *
 * <p>Thread contract: safe from any thread.
 */
final class JobThreads {
  private final JobID job;
  private final UserGroupInformation user;
  private final ClassLoader loader;
  private final AtomicInteger made = new AtomicInteger();

  /** As whoever calls this, and with its class loader. */
  JobThreads(JobID job, UserGroupInformation user) {
    this.job = job;
    this.user = user;
    this.loader = Thread.currentThread().getContextClassLoader();
  }

  UserGroupInformation user() {
    return user;
  }

  ThreadFactory of(String what) {
    return body -> {
      Thread thread =
          new Thread(
              () -> asUser(body), "sluice-" + what + " " + job + " " + made.incrementAndGet());
      thread.setDaemon(true);
      thread.setContextClassLoader(loader);
      return thread;
    };
  }

  private void asUser(Runnable body) {
    user.doAs(
        (PrivilegedAction<Void>)
            () -> {
              body.run();
              return null;
            });
  }
}
