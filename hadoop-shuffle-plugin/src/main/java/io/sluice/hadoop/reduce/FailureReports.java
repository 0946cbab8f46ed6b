package io.sluice.hadoop.reduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports map outputs to the ApplicationMaster that could not be fetched.
 *
 * <p>The reports travel in copies of the task's status. Stock puts them into the status itself,
 * which its communication thread serializes and then clears, without a lock. An output that another
 * thread adds meanwhile breaks the serialization, or is cleared unsent.
 *
 * <p>Thread contract: any thread adds and never waits; the task's thread alone sends. Failure:
 * {@link #send} throws when the ApplicationMaster cannot be told, which ends the attempt.
 */
final class FailureReports {
  private static final Logger LOG = LoggerFactory.getLogger(FailureReports.class);

  /** As many tries as stock has for a status. */
  private static final int MAX_TRIES = 10;

  private final TaskUmbilicalProtocol umbilical;
  private final TaskAttemptID reduce;
  private final TaskStatus taskStatus;
  private final Queue<TaskAttemptID> unsent = new ConcurrentLinkedQueue<>();

  /** Reports as {@code reduce}, whose status is {@code taskStatus}; nothing is added to it. */
  FailureReports(TaskUmbilicalProtocol umbilical, TaskAttemptID reduce, TaskStatus taskStatus) {
    this.umbilical = umbilical;
    this.reduce = reduce;
    this.taskStatus = taskStatus;
  }

  /** Adds one failed fetch of this output, to be sent later. */
  void add(TaskAttemptID map) {
    unsent.add(map);
  }

  /** Sends all outputs that were added, in one status. */
  void send() throws IOException, InterruptedException {
    List<TaskAttemptID> maps = new ArrayList<>();
    for (TaskAttemptID map = unsent.poll(); map != null; map = unsent.poll()) {
      maps.add(map);
    }
    if (maps.isEmpty()) {
      return;
    }
    TaskStatus status = (TaskStatus) taskStatus.clone();
    maps.forEach(status::addFetchFailedMap);
    if (!answer(status).getTaskFound()) {
      throw new IOException("the ApplicationMaster does not know " + reduce + " any more");
    }
  }

  private AMFeedback answer(TaskStatus status) throws IOException, InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        return umbilical.statusUpdate(reduce, status);
      } catch (IOException e) {
        if (tries == MAX_TRIES) {
          throw e;
        }
        LOG.warn("The ApplicationMaster could not be told of failed fetches; trying again", e);
      }
    }
  }
}
