package io.sluice.local.task;

import java.io.IOException;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * An attempt goes on although it was told to end: user code that takes no interrupt. Java cannot
 * stop its thread, so that goes on until it ends by itself. Its stack is that of this exception.
 */
public final class AttemptGivenUp extends IOException {
  private static final long serialVersionUID = 1L;

  AttemptGivenUp(TaskAttemptID id, String reason, StackTraceElement[] stack) {
    super(
        id
            + " does not end although it was told to, since "
            + reason
            + "; its thread goes on until it ends by itself. It is at:");
    setStackTrace(stack);
  }
}
