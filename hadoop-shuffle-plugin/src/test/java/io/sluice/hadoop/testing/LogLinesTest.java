package io.sluice.hadoop.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.log4j.Logger;
import org.junit.jupiter.api.Test;

class LogLinesTest {
  /** As log4j does when the collector finds it. */
  @Test
  void whatIsFinalizedAfterItWasClosedChangesNothingForTheNextOne() {
    LogLines closed = new LogLines();
    closed.close();
    try (LogLines log = new LogLines()) {
      closed.finalize();
      Logger.getLogger(LogLinesTest.class).info("heard");
      assertEquals(List.of("INFO heard"), log.with("heard"));
    }
  }
}
