package io.sluice.spark.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.security.PrivilegedAction;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

class UserThreadsTest {
  private static UserThreads ofAnn() {
    return UserGroupInformation.createRemoteUser("ann")
        .doAs((PrivilegedAction<UserThreads>) UserThreads::ofCurrentUser);
  }

  private static String user() throws Exception {
    return UserGroupInformation.getCurrentUser().getUserName();
  }

  @Test
  void aThreadWorksForTheUserOfTheStartWhoeverHasItMade() throws Exception {
    AtomicReference<Object> found = new AtomicReference<>();
    Thread thread =
        ofAnn()
            .create(
                "sluice-test",
                () -> {
                  try {
                    found.set(user());
                  } catch (Exception e) {
                    found.set(e);
                  }
                });
    thread.start();
    thread.join(TimeUnit.MINUTES.toMillis(2));
    assertEquals("ann", found.get());
  }

  @Test
  void soDoThoseOfAnExecutor() throws Exception {
    ThreadPoolExecutor executor = ofAnn().executor("sluice-test", 1, 1_000);
    try {
      assertEquals("ann", executor.submit(UserThreadsTest::user).get(2, TimeUnit.MINUTES));
    } finally {
      executor.shutdownNow();
    }
  }
}
