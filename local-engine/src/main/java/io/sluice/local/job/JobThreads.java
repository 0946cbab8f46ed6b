package io.sluice.local.job;

import io.sluice.local.task.TaskRun;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Makes the threads of a job. Each runs as the submitting user, which newer JDKs do not inherit,
 * and with the job's class loader.
 *
 * <p>Thread contract: safe from any thread.
 */
final class JobThreads {
  private final JobID job;
  private final UserGroupInformation user;
  private final JobConf conf;
  private final AtomicInteger made = new AtomicInteger();

  /** Makes threads for the user, with the class loader that the settings have at that time. */
  JobThreads(JobID job, UserGroupInformation user, JobConf conf) {
    this.job = job;
    this.user = user;
    this.conf = conf;
  }

  UserGroupInformation user() {
    return user;
  }

  /**
   * The job's main thread. It is no daemon, so a submitted job is completed even if the main thread
   * of the process ends, as with stock.
   */
  ThreadFactory ofJob() {
    return of("job", null, false);
  }

  /** Threads for attempts. */
  ThreadFactory ofTasks(String what) {
    return of(what, TaskRun.threads(), true);
  }

  ThreadFactory of(String what) {
    return of(what, null, true);
  }

  private ThreadFactory of(String what, ThreadGroup group, boolean daemon) {
    return body -> {
      Thread thread =
          new Thread(
              group,
              () -> asUser(body),
              "sluice-" + what + " " + job + " " + made.incrementAndGet());
      thread.setDaemon(daemon);
      thread.setContextClassLoader(conf.getClassLoader());
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
