package io.sluice.rdma.transport.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogLimitTest {
  private final AtomicLong nowNs = new AtomicLong(-5);
  private final LogLimit limit = new LogLimit(nowNs::get);

  @Test
  void theFirstLineAndThenOneAMinuteWithTheNumberOfOthers() {
    assertEquals(OptionalLong.of(0), limit.mayLog("a"));
    assertEquals(OptionalLong.empty(), limit.mayLog("a"));
    assertEquals(OptionalLong.of(0), limit.mayLog("b"));
    nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1) - 1);
    assertEquals(OptionalLong.empty(), limit.mayLog("a"));
    nowNs.incrementAndGet();
    assertEquals(OptionalLong.of(2), limit.mayLog("a"));
    assertEquals(OptionalLong.empty(), limit.mayLog("a"));
    nowNs.addAndGet(TimeUnit.MINUTES.toNanos(2));
    assertEquals(OptionalLong.of(1), limit.mayLog("a"));
    assertEquals(OptionalLong.of(0), limit.mayLog("b"));
  }

  /** A peer that has many addresses does not take the service's memory, or its log. */
  @Test
  void whatThereIsTooMuchOfCountsAsTheSame() {
    long lines = 0;
    for (int i = 0; i < 10_000; i++) {
      lines += limit.mayLog("address " + i).isPresent() ? 1 : 0;
    }
    assertEquals(101, lines);
    assertEquals(OptionalLong.empty(), limit.mayLog("address 1"));
  }
}
