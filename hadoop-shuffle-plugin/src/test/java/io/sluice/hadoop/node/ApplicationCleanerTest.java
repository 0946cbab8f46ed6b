package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.hadoop.node.ServingNode.ApplicationCleaner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ApplicationCleanerTest {
  private final List<String> forgotten = Collections.synchronizedList(new ArrayList<>());
  private final List<String> freed = Collections.synchronizedList(new ArrayList<>());

  private interface Free {
    void free(String id) throws IOException;
  }

  private ApplicationCleaner freeing(Free free) {
    return new ApplicationCleaner(
        new ApplicationCleaner.Freeing() {
          @Override
          public void forget(String id) throws IOException {
            forgotten.add(id);
            if (id.equals("unforgettable")) {
              throw new IOException("of the test");
            }
          }

          @Override
          public void free(String id) throws IOException {
            free.free(id);
          }
        });
  }

  /** As YARN's dispatcher must not. */
  @Test
  void nobodyWaitsForADiskThatDoesNotAnswer() {
    CountDownLatch answer = new CountDownLatch(1);
    ApplicationCleaner applications =
        freeing(
            id -> {
              try {
                answer.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              freed.add(id);
            });
    applications.ended("one");
    applications.ended("another");
    assertEquals(List.of("one", "another"), forgotten, "whatever becomes of this process now");
    assertEquals(List.of(), freed);
    answer.countDown();
    applications.close();
    assertEquals(List.of("one", "another"), freed);
    applications.ended("a late one");
  }

  @Test
  void whatCannotBeFreedKeepsNoOther() {
    ApplicationCleaner applications =
        freeing(
            id -> {
              if (id.equals("one")) {
                throw new IOException("of the test");
              }
              freed.add(id);
            });
    applications.ended("one");
    applications.ended("unforgettable");
    applications.ended("another");
    applications.close();
    assertEquals(List.of("unforgettable", "another"), freed);
  }
}
