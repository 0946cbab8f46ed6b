package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.socket.Refusals.RefusalKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private final AtomicLong clockNs = new AtomicLong(Long.MAX_VALUE); // may wrap, as nanoTime may
  private final List<String> lines = new ArrayList<>();
  private final Refusals refusals = new Refusals(clockNs::get, lines::add);

  @Test
  void allAreCountedAndOneOfAKindIsLoggedEachSecond() {
    for (int i = 0; i < 100; i++) {
      refusals.add(RefusalKind.WRONG_USER, "bob " + i);
      refusals.add(RefusalKind.BAD_MESSAGE, "noise " + i);
      clockNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(5));
    }
    clockNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
    refusals.add(RefusalKind.WRONG_USER, "bob again");
    assertEquals(
        List.of(
            "Refused (wrong-user; 0 more of that kind since the last such line): bob 0",
            "Refused (bad-message; 0 more of that kind since the last such line): noise 0",
            "Refused (wrong-user; 99 more of that kind since the last such line): bob again"),
        lines);
    assertEquals(101, refusals.counts().get(RefusalKind.WRONG_USER));
    assertEquals(100, refusals.counts().get(RefusalKind.BAD_MESSAGE));
  }

  @Test
  void kindsThatNeverCameAreZero() {
    assertEquals(RefusalKind.values().length, refusals.counts().size());
    assertEquals(0, refusals.counts().get(RefusalKind.TOO_MANY));
  }
}
