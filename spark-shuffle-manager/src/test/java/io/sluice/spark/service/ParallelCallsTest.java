package io.sluice.spark.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.service.ServiceDriver.ParallelCalls;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class ParallelCallsTest {
  private static final List<Integer> ALL =
      IntStream.range(0, 3 * ParallelCalls.THREADS).boxed().toList();

  private final Set<Integer> done = ConcurrentHashMap.newKeySet();

  /** None of them is done before many have begun. */
  @Test
  void manyAreUnderWayAtOnce() {
    CyclicBarrier together = new CyclicBarrier(ParallelCalls.THREADS);
    ParallelCalls.each(
        ALL,
        each -> {
          try {
            together.await(120, TimeUnit.SECONDS);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
          done.add(each);
        });
    assertEquals(Set.copyOf(ALL), done);
  }

  @Test
  void aFailureLeavesNoneOut() {
    assertThrows(
        IllegalStateException.class,
        () ->
            ParallelCalls.each(
                ALL,
                each -> {
                  done.add(each);
                  throw new UnsupportedOperationException();
                }));
    assertEquals(Set.copyOf(ALL), done);
  }

  @Test
  void anInterruptIsKept() {
    Thread.currentThread().interrupt();
    ParallelCalls.each(ALL, done::add);
    assertTrue(Thread.interrupted());
  }
}
