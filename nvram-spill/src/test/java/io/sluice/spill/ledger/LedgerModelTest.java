package io.sluice.spill.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A ledger keeps its promises whatever happens on its node: {@link Property}. */
@Timeout(600)
class LedgerModelTest {
  /** More for a campaign; a schedule takes some 10 ms. */
  private static final int SCHEDULES = Integer.getInteger("sluice.test.schedules", 500);

  private static MemoryLedger ledger(long capacity) {
    return new MemoryLedger(LedgerModel.TERMS, capacity);
  }

  @Test
  void keepsItsPromisesInAnySchedule() {
    long seed = TestSeed.next();
    for (int i = 0; i < SCHEDULES; i++) {
      int schedule = i;
      try {
        LedgerSchedules.random(LedgerModelTest::ledger, seed + i);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("schedule " + schedule + " of seed " + seed, e);
      }
    }
  }

  @Test
  void oneAloneMayHaveAll() {
    LedgerSchedules.alone(LedgerModelTest::ledger);
  }

  @Test
  void whoComesLastFindsSomethingWhateverOthersIgnore() {
    LedgerSchedules.newcomer(LedgerModelTest::ledger);
  }

  @Test
  void whoHasMoreGivesBackToWhoHasLessThanItsShare() {
    LedgerSchedules.slow(LedgerModelTest::ledger);
  }

  @Test
  void claimsAreLeftWhileOutputsCanBeMoved() {
    LedgerSchedules.claims(LedgerModelTest::ledger);
  }

  @Test
  void whoIsLateIsGrantedNothing() {
    LedgerSchedules.late(LedgerModelTest::ledger);
  }

  @Test
  void whatWasReceivedIsTakenBackBeforeLoans() {
    LedgerSchedules.received(LedgerModelTest::ledger);
  }

  @Test
  void aLastResortIsGrantedWhatSortBuffersGiveBack() {
    LedgerSchedules.lastResort(LedgerModelTest::ledger);
  }

  @Test
  void applicationsThatAskAlikeHaveAlike() {
    LedgerSchedules.equals(LedgerModelTest::ledger, "app-1", "app-2");
  }

  @Test
  void tasksThatAskAlikeHaveAlike() {
    LedgerSchedules.equals(LedgerModelTest::ledger, "app-1", "app-1");
  }

  /**
   * Maps of 128, four at a time, and half the memory for what they put out. Half of that must go to
   * disk, whatever is done; sort buffers that displaced outputs of their own job would write more.
   */
  @Test
  void sortBuffersWriteLittleMoreToDiskThanMust() {
    for (GrantTerms terms :
        List.of(LedgerModel.TERMS, new GrantTerms(Long.MAX_VALUE / 4, 2_000, 10_000, 1_000))) {
      long toDisk = writtenToDisk(terms);
      assertTrue(toDisk >= 2_048 - 4 * 128 && toDisk <= 1.05 * 2_048, terms + " wrote " + toDisk);
    }
  }

  private static long writtenToDisk(GrantTerms terms) {
    LedgerModel model =
        new LedgerModel(capacity -> new MemoryLedger(terms, capacity), terms, 2_048, new Random(1));
    model.disk(100_000, 0, Long.MAX_VALUE);
    ModelMap[] maps = new ModelMap[32];
    for (int i = 0; i < maps.length; i++) {
      maps[i] = new ModelMap(model, "app", ModelTask.Hearing.GOOD, 128, 4, 1);
      model.at(i / 4 * 500L, maps[i]);
    }
    return toDisk(model, maps);
  }

  /** A Sort as it was measured: waves of maps with a buffer for half of what they put out. */
  @Test
  void aSlowDiskIsWrittenLittleMoreThanMust() {
    slowDisk(35);
  }

  /** The same of maps that may claim as much again. */
  @Test
  void claimsWriteLittleMoreThanMust() {
    slowDisk(16);
  }

  private static void slowDisk(long ownBytes) {
    LedgerModel model = new LedgerModel(LedgerModelTest::ledger, 192, new Random(1));
    model.disk(16, 0, Long.MAX_VALUE);
    ModelMap[] maps = new ModelMap[8];
    for (int i = 0; i < maps.length; i++) {
      maps[i] = new ModelMap(model, "app", ModelTask.Hearing.GOOD, 72, 1, 1).withOwn(ownBytes);
      model.at(i / 2 * 10_000L, maps[i]);
    }
    long must = 8 * 72 - 192;
    long toDisk = toDisk(model, maps);
    assertTrue(toDisk >= must && toDisk < 1.1 * must, toDisk + " instead of " + must);
  }

  private static long toDisk(LedgerModel model, ModelMap[] maps) {
    model.run(() -> {});
    long toDisk = model.disk.movedBytes;
    for (ModelMap map : maps) {
      toDisk += map.spilledToDisk;
    }
    return toDisk;
  }

  @Test
  void sharesAreMaxMin() {
    assertEquals(100, FairShares.level(100, List.of(30L, 70L)), "all fits");
    assertEquals(50, FairShares.level(100, List.of(80L, 70L)));
    assertEquals(70, FairShares.level(100, List.of(30L, 80L)));
    assertEquals(35, FairShares.level(100, List.of(30L, 80L, 90L)));
  }
}
