package io.sluice.rdma.transport.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class UnauthenticatedLimitTest {
  private static final long LONG_MS = 60_000;
  private static final int MOST = 8;

  private final Deadlines deadlines = new Deadlines("sluice-test-deadlines");
  private final List<String> ended = Collections.synchronizedList(new ArrayList<>());
  private final UnauthenticatedLimit<String> share =
      new UnauthenticatedLimit<>(MOST, LONG_MS, deadlines, (each, reason) -> ended.add(each));

  @AfterEach
  void close() {
    deadlines.close();
  }

  @Test
  void theOldestOfTheHostWithTheMostGoesFirst() {
    share.enter("other", "host b");
    for (int i = 0; i < 2 * MOST; i++) {
      share.enter("crowd " + i, "host a");
    }
    assertEquals(MOST + 1, ended.size());
    assertEquals("crowd 0", ended.get(0));
    assertFalse(ended.contains("other"));
    assertTrue(share.leave("other"), "it has proved itself");
    assertFalse(share.leave("crowd 0"), "it was ended");
    assertEquals(MOST + 1, share.expelled());
  }

  @Test
  void whoHasLeftIsNeitherCountedNorEnded() {
    for (int i = 0; i < 1_000; i++) {
      share.enter("reader " + i, "host a");
      assertTrue(share.leave("reader " + i));
    }
    assertEquals(List.of(), ended);
  }

  @Test
  void whoTakesTooLongIsEnded() throws Exception {
    CountDownLatch late = new CountDownLatch(1);
    UnauthenticatedLimit<String> hasty =
        new UnauthenticatedLimit<>(MOST, 1, deadlines, (each, reason) -> late.countDown());
    hasty.enter("slow", "host a");
    assertTrue(late.await(LONG_MS, TimeUnit.MILLISECONDS));
    assertFalse(hasty.leave("slow"));
  }

  /** Whatever a crowd of some hosts does, at most so many are inside, and a quiet host's stays. */
  @Test
  void aCrowdNeverEndsTheOneOfAQuietHost() {
    Random random = TestSeed.random();
    share.enter("quiet", "quiet host");
    int entered = 1;
    int left = 0;
    for (int i = 0; i < 20_000; i++) {
      if (random.nextInt(4) > 0) {
        share.enter("crowd " + i, "host " + random.nextInt(MOST / 2));
        entered++;
      } else if (share.leave("crowd " + random.nextInt(i + 1))) {
        left++;
      }
      assertTrue(entered - left - ended.size() <= MOST);
    }
    assertFalse(ended.contains("quiet"));
  }
}
