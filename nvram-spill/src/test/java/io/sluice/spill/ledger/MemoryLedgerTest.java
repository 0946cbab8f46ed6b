package io.sluice.spill.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holding.HolderRole;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the model of a node does not come across often enough. */
class MemoryLedgerTest {
  private final MemoryLedger ledger = new MemoryLedger(LedgerModel.TERMS, 100);

  private long holder() {
    return ledger.join(new Holding.HolderId("user", "app", "task", HolderRole.EXECUTOR), 0);
  }

  private long held(MemoryKind kind) {
    return ledger.stats().heldBytes().get(kind);
  }

  private static long join(MemoryLedger ledger, String application, HolderRole role) {
    long id = ledger.join(new Holding.HolderId("user", application, "task", role), 0);
    ledger.receivesNotices(id, true);
    return id;
  }

  private static List<MemoryAction> answers(List<MemoryAction> orders) {
    return orders.stream().filter(MemoryAction.Answer.class::isInstance).toList();
  }

  private static long moveId(List<MemoryAction> orders) {
    return ((MemoryAction.Move) orders.get(0)).moveId();
  }

  /** Although who writes has less and came first, and who receives would find something free. */
  @Test
  void whatIsSortedIsGrantedBeforeWhatIsWrittenAndThatBeforeWhatIsReceived() {
    ledger.moverWorks(true, 0);
    ledger.recovered("large", 81);
    ledger.recovered("maps", 10);
    ledger.recovered("writers", 5);
    long writer = join(ledger, "writers", HolderRole.EXECUTOR);
    long move = moveId(ledger.ask(writer, MemoryKind.WRITING, 8, WaitLimit.COMING, 0));
    long reduce = join(ledger, "reduces", HolderRole.REDUCE);
    assertEquals(
        List.of(new MemoryAction.Answer(reduce, 0)),
        ledger.ask(reduce, MemoryKind.RECEIVE, 4, WaitLimit.NONE, 0));
    long map = join(ledger, "maps", HolderRole.MAP);
    assertEquals(
        List.of(MemoryAction.Move.class),
        kinds(ledger.ask(map, MemoryKind.SORT, 4, WaitLimit.COMING, 0)));
    assertEquals(
        List.of(new MemoryAction.Answer(map, 4)), // with room for its run
        answers(ledger.moved(move, 4, 1)));
    assertEquals(List.of(new MemoryAction.Answer(writer, 8)), answers(ledger.moved(move, 8, 2)));
  }

  /** A writer that can write to disk does so at once, and not after who is before it. */
  @Test
  void nobodyWaitsBehindALastResortThatWaitsForWhatIsKept() {
    ledger.moverWorks(true, 0);
    ledger.quarantined(36);
    long reduce = join(ledger, "reduces", HolderRole.REDUCE);
    ledger.ask(reduce, MemoryKind.RECEIVE, 24, WaitLimit.NONE, 0);
    assertEquals(
        List.of(new MemoryAction.Answer(reduce, 0)), // and wants it
        answers(ledger.ask(reduce, MemoryKind.RECEIVE, 41, WaitLimit.NONE, 0)));
    long small = join(ledger, "small", HolderRole.EXECUTOR);
    ledger.ask(small, MemoryKind.WRITING, 2, WaitLimit.COMING, 0);
    long last = join(ledger, "last", HolderRole.EXECUTOR);
    assertEquals(
        List.of(),
        answers(ledger.ask(last, MemoryKind.WRITING, 32, WaitLimit.LAST, 0)),
        "beyond a share");
    assertEquals(
        List.of(new MemoryAction.Answer(small, 0)),
        answers(ledger.ask(small, MemoryKind.WRITING, 2, WaitLimit.COMING, 0)));
    assertEquals(
        List.of(new MemoryAction.Answer(last, 32)),
        answers(ledger.giveBack(reduce, MemoryKind.RECEIVE, 24, 1)));
  }

  /** So it finds something when it asks, however slow the disk is. */
  @Test
  void anEighthLeavesForAnApplicationThatIsExpected() {
    ledger.moverWorks(true, 0);
    ledger.recovered("large", 98);
    long writer = join(ledger, "large", HolderRole.EXECUTOR);
    List<MemoryAction> orders = ledger.expected("new", 0);
    assertEquals(List.of(new MemoryAction.Move(0, "large", 10, false)), orders, "two are free");
    ledger.moved(0, 10, 1);
    ledger.moveEnded(0, 1);
    assertEquals(
        List.of(new MemoryAction.Answer(writer, 0)),
        answers(ledger.ask(writer, MemoryKind.WRITING, 4, WaitLimit.COMING, 1)));
    long task = join(ledger, "new", HolderRole.EXECUTOR);
    assertEquals(
        List.of(new MemoryAction.Answer(task, 12)),
        answers(ledger.ask(task, MemoryKind.WRITING, 12, WaitLimit.COMING, 2)));
  }

  /** Else each application that comes would give it all the time once more. */
  @Test
  void whoIsLateStaysSoWhenStillMoreIsWantedOfIt() {
    long map = join(ledger, "late", HolderRole.MAP);
    ledger.ask(map, MemoryKind.SORT, 40, WaitLimit.NONE, 0);
    long first = join(ledger, "first", HolderRole.MAP);
    ledger.ask(first, MemoryKind.SORT, 16, WaitLimit.LAST, 0);
    assertEquals(28, ledger.keepBytes(map, MemoryKind.SORT));
    long second = join(ledger, "second", HolderRole.MAP);
    long lateMs = LedgerModel.TERMS.revokeMs();
    ledger.ask(second, MemoryKind.SORT, 16, WaitLimit.LAST, lateMs);
    assertEquals(22, ledger.keepBytes(map, MemoryKind.SORT));
    assertEquals(
        List.of("late"),
        ledger.holdings(lateMs).stream()
            .filter(Holding::late)
            .map(holding -> holding.who().application())
            .toList());
  }

  @Test
  void nothingIsKeptForLongForWhoDoesNotCome() {
    ledger.moverWorks(true, 0);
    ledger.recovered("large", 88);
    long writer = join(ledger, "large", HolderRole.EXECUTOR);
    assertEquals(List.of(), ledger.expected("new", 0), "as much is free");
    assertEquals(
        List.of(new MemoryAction.Answer(writer, 0)),
        answers(
            ledger.ask(
                writer, MemoryKind.WRITING, 12, WaitLimit.COMING, MemoryLedger.EXPECTED_MS - 1)));
    assertEquals(
        List.of(new MemoryAction.Answer(writer, 12)),
        answers(
            ledger.ask(
                writer, MemoryKind.WRITING, 12, WaitLimit.COMING, MemoryLedger.EXPECTED_MS)));
  }

  @Test
  void nothingIsKeptForAnApplicationThatHasEnded() {
    ledger.recovered("large", 88);
    ledger.moverWorks(true, 0);
    long writer = join(ledger, "large", HolderRole.EXECUTOR);
    ledger.expected("new", 0);
    ledger.stopped("new", 0);
    assertEquals(
        List.of(new MemoryAction.Answer(writer, 12)),
        answers(ledger.ask(writer, MemoryKind.WRITING, 12, WaitLimit.COMING, 0)));
  }

  /** Else outputs of the former would go to disk for that, again and again. */
  @Test
  void whatLeavesForTheClaimsOfAMapIsNoSortBufferOfWhoHasMore() {
    ledger.moverWorks(true, 0);
    ledger.recovered("large", 88);
    join(ledger, "new", HolderRole.MAP);
    long map = join(ledger, "large", HolderRole.MAP);
    assertEquals(
        List.of(new MemoryAction.Answer(map, 0)),
        ledger.ask(map, MemoryKind.SORT, 4, WaitLimit.NONE, 0));
  }

  /** It is lost without; a map that is lent nothing only spills. */
  @Test
  void nothingIsLentOfWhatALastResortWaitsFor() {
    MemoryLedger large = new MemoryLedger(LedgerModel.TERMS, 1000);
    large.moverWorks(true, 0);
    large.recovered("large", 790);
    large.recovered("writers", 10);
    long map = join(large, "maps", HolderRole.MAP);
    long loanBytes = LedgerModel.TERMS.claimBytes() + 8;
    assertEquals(
        List.of(new MemoryAction.Answer(map, loanBytes)),
        large.ask(map, MemoryKind.SORT, loanBytes, WaitLimit.NONE, 0));
    large.giveBack(map, MemoryKind.SORT, loanBytes, 0);
    long writer = join(large, "writers", HolderRole.EXECUTOR);
    long move = moveId(large.ask(writer, MemoryKind.WRITING, 250, WaitLimit.LAST, 0));
    assertEquals(
        List.of(new MemoryAction.Answer(map, 0)),
        large.ask(map, MemoryKind.SORT, loanBytes, WaitLimit.NONE, 0));
    assertEquals(List.of(new MemoryAction.Answer(writer, 250)), answers(large.moved(move, 50, 1)));
  }

  /** What is free pays for a capacity that has shrunk; what settles is not free. */
  @Test
  void whatSettlesPaysForNoSmallerCapacity() {
    long holder = holder();
    assertEquals(
        List.of(new MemoryAction.Answer(holder, 60)),
        ledger.ask(holder, MemoryKind.WRITING, 60, WaitLimit.LAST, 0));
    ledger.capacity(30, 0);
    assertEquals(60, ledger.stats().capacityBytes(), "as much as is held");
    ledger.leave(holder, 50, 0);
    assertEquals(50, held(MemoryKind.SETTLING));
    assertEquals(50, ledger.stats().capacityBytes());
    ledger.settled(50, 0);
    assertEquals(0, held(MemoryKind.SETTLING));
    assertEquals(30, ledger.stats().capacityBytes());
    assertEquals(30, ledger.stats().freeBytes());
  }

  @Test
  void whatWasQuarantinedAndIsCommittedIsNeverFreeInBetween() {
    ledger.quarantined(100);
    ledger.resumed("app", 40);
    assertEquals(60, held(MemoryKind.QUARANTINE));
    assertEquals(40, held(MemoryKind.SEND));
    assertEquals(0, ledger.stats().freeBytes());
    assertThrows(IllegalStateException.class, () -> ledger.resumed("app", 61));
    ledger.freed("app", 40, 0);
    ledger.reviewed(60, 0);
    assertEquals(100, ledger.stats().freeBytes());
  }

  /** Whose own buffer is as large as a claim borrows what is free, and no output leaves for it. */
  @Test
  void whatATaskHasOfItsOwnCountsAgainstItsClaim() {
    ledger.moverWorks(true, 0);
    ledger.recovered("large", 100);
    long claimBytes = LedgerModel.TERMS.claimBytes();
    Holding.HolderId who = new Holding.HolderId("user", "app", "task", HolderRole.MAP);
    long rich = ledger.join(who, claimBytes);
    assertEquals(
        List.of(new MemoryAction.Answer(rich, 0)),
        ledger.ask(rich, MemoryKind.SORT, 8, WaitLimit.NONE, 0));
    long poor = ledger.join(who, claimBytes - 8);
    assertEquals(
        List.of(MemoryAction.Answer.class, MemoryAction.Move.class),
        kinds(ledger.ask(poor, MemoryKind.SORT, 8, WaitLimit.NONE, 0)));
  }

  private static List<Class<?>> kinds(List<MemoryAction> orders) {
    return orders.stream().<Class<?>>map(MemoryAction::getClass).toList();
  }

  /** It would be written to disk for one that is as well written there itself. */
  @Test
  void noOutputLeavesForAnotherOfItsApplication() {
    ledger.moverWorks(true, 0);
    ledger.recovered("app", 100);
    long holder = holder();
    assertEquals(
        List.of(new MemoryAction.Answer(holder, 0)),
        ledger.ask(holder, MemoryKind.WRITING, 4, WaitLimit.COMING, 0));
    assertEquals(
        List.of(new MemoryAction.Answer(holder, 0)),
        ledger.ask(holder, MemoryKind.RECEIVE, 4, WaitLimit.NONE, 0));
    assertEquals(
        List.of(MemoryAction.Move.class),
        kinds(ledger.ask(holder, MemoryKind.WRITING, 4, WaitLimit.LAST, 0)));
  }

  /** There is nobody to keep something for, and outputs could leave for who comes. */
  @Test
  void anApplicationThatIsAloneHasAllOfTheMemory() {
    ledger.moverWorks(true, 0);
    ledger.recovered("app", 60);
    long holder = holder();
    assertEquals(
        List.of(new MemoryAction.Answer(holder, 40)),
        ledger.ask(holder, MemoryKind.WRITING, 40, WaitLimit.NONE, 0));
  }

  @Test
  void anEighthIsKeptWhereNobodyCouldMakeRoomForWhoComes() {
    ledger.moverWorks(true, 0);
    ledger.recovered("app", 10); // fewer than are kept
    long holder = holder();
    assertEquals(
        List.of(new MemoryAction.Answer(holder, 0)),
        ledger.ask(holder, MemoryKind.WRITING, 90, WaitLimit.NONE, 0));
    ledger.recovered("app", 50);
    ledger.moverWorks(false, 0);
    assertEquals(
        List.of(new MemoryAction.Answer(holder, 0)),
        ledger.ask(holder, MemoryKind.WRITING, 40, WaitLimit.NONE, 0));
  }

  @Test
  void anEighthIsKeptWhereAnotherApplicationHasATaskOrAnOutput() {
    for (boolean task : new boolean[] {true, false}) {
      MemoryLedger shared = new MemoryLedger(LedgerModel.TERMS, 100);
      shared.moverWorks(true, 0);
      shared.recovered("app", 40);
      if (task) {
        shared.join(new Holding.HolderId("user", "other", "task", HolderRole.MAP), Long.MAX_VALUE);
      } else {
        shared.recovered("other", 1);
      }
      Holding.HolderId who = new Holding.HolderId("user", "app", "task", HolderRole.MAP);
      long holder = shared.join(who, LedgerModel.TERMS.claimBytes());
      assertEquals(
          List.of(new MemoryAction.Answer(holder, 0)),
          shared.ask(holder, MemoryKind.WRITING, 50, WaitLimit.NONE, 0));
    }
  }

  @Test
  void whoHasLittleTimeIsRefusedWhenItIsOver() {
    ledger.moverWorks(true, 0);
    ledger.recovered("other", 100);
    long holder = holder();
    assertEquals(
        List.of(MemoryAction.Move.class),
        kinds(ledger.ask(holder, MemoryKind.WRITING, 4, WaitLimit.LAST, 5, 0)));
    assertEquals(List.of(), ledger.tick(4));
    assertEquals(List.of(new MemoryAction.Answer(holder, 0)), ledger.tick(5));
  }

  /** It need not wait for what is there, and would lose records without it. */
  @Test
  void aLastResortWithoutTimeIsGrantedWhatIsFree() {
    long holder = holder();
    assertEquals(
        List.of(new MemoryAction.Answer(holder, 50)),
        ledger.ask(holder, MemoryKind.WRITING, 50, WaitLimit.LAST, 5, 5));
  }

  @Test
  void anOutputWithACopyLeavesForAnotherOfItsApplication() {
    ledger.moverWorks(true, 0);
    ledger.outputsHaveCopies();
    ledger.recovered("app", 100);
    assertEquals(
        List.of(MemoryAction.Move.class),
        kinds(ledger.ask(holder(), MemoryKind.WRITING, 4, WaitLimit.COMING, 0)));
  }

  /** Else a map's own runs go to disk, or another's, for memory that it has been lent. */
  @Test
  void onlyWhatIsFreeBeyondTheRunsOfAllMapsIsLent() {
    ledger.moverWorks(true, 0);
    long claimBytes = LedgerModel.TERMS.claimBytes();
    Holding.HolderId who = new Holding.HolderId("user", "app", "task", HolderRole.MAP);
    long map = ledger.join(who, claimBytes);
    ledger.receivesNotices(map, true);
    ledger.join(who, claimBytes);
    assertEquals(
        List.of(new MemoryAction.Answer(map, 10)),
        ledger.ask(map, MemoryKind.SORT, 10, WaitLimit.NONE, 0));
    assertEquals(
        List.of(new MemoryAction.Answer(map, 0)),
        ledger.ask(map, MemoryKind.SORT, 10, WaitLimit.NONE, 1));
  }

  /** What a task says of itself may be anything, and must not reach other users' loans. */
  @Test
  void hugeBuffersOfItsOwnThatATaskClaimsToHaveMakeNothingFree() {
    ledger.recovered("large", 100);
    Holding.HolderId liar = new Holding.HolderId("liar", "lies", "task", HolderRole.MAP);
    for (int i = 0; i < 3; i++) {
      ledger.join(liar, Long.MAX_VALUE / 2); // the sum of three is negative
    }
    Holding.HolderId who = new Holding.HolderId("user", "app", "task", HolderRole.MAP);
    long map = ledger.join(who, LedgerModel.TERMS.claimBytes());
    ledger.receivesNotices(map, true);
    assertEquals(
        List.of(new MemoryAction.Answer(map, 0)),
        ledger.ask(map, MemoryKind.SORT, 8, WaitLimit.NONE, 0));
  }

  /** However many they are, and whatever their application holds already. */
  @Test
  void mapsThatClaimHugeBuffersKeepTheirApplicationsShareFromOthersLoansAndNoMore() {
    MemoryLedger large = new MemoryLedger(LedgerModel.TERMS, 1000);
    Holding.HolderId liar = new Holding.HolderId("liar", "lies", "task", HolderRole.MAP);
    for (int i = 0; i < 3; i++) {
      large.join(liar, Long.MAX_VALUE / 2);
    }
    long claimBytes = LedgerModel.TERMS.claimBytes();
    long map = large.join(new Holding.HolderId("user", "app", "task", HolderRole.MAP), claimBytes);
    large.receivesNotices(map, true);
    assertEquals(
        List.of(new MemoryAction.Answer(map, 150)),
        large.ask(map, MemoryKind.SORT, 150, WaitLimit.NONE, 0));
    assertEquals(
        List.of(new MemoryAction.Answer(map, 0)),
        large.ask(map, MemoryKind.SORT, 150, WaitLimit.NONE, 1),
        "500 are the others', with what they are about to write");
    large.recovered("lies", 400);
    large.giveBack(map, MemoryKind.SORT, 150, 2);
    assertEquals(
        List.of(new MemoryAction.Answer(map, 150)),
        large.ask(map, MemoryKind.SORT, 150, WaitLimit.NONE, 2),
        "400 of the 500 are written");
  }

  /** A task that is slow to end is no harm to those of the next application of that name. */
  @Test
  void whoComesAfterTheEndOfItsApplicationIsServed() {
    long slow = holder();
    ledger.stopped("app", 0);
    long next = holder();
    ledger.leave(slow, 0, 1);
    assertEquals(
        List.of(new MemoryAction.Answer(next, 60)),
        ledger.ask(next, MemoryKind.WRITING, 60, WaitLimit.LAST, 2));
  }

  /** Outputs are moved as a whole: one that is longer than a step is enough for several. */
  @Test
  void whatIsMovedBeyondAnOrderCountsForTheOthers() {
    ledger.moverWorks(true, 0);
    ledger.recovered("large", 100);
    long one = holder();
    long two = holder();
    List<MemoryAction.Move> moves = new ArrayList<>();
    for (long holder : List.of(one, two)) {
      for (MemoryAction order : ledger.ask(holder, MemoryKind.WRITING, 4, WaitLimit.COMING, 0)) {
        moves.add((MemoryAction.Move) order);
      }
    }
    assertEquals(2, moves.size());
    long first = moves.get(0).moveId();
    List<MemoryAction> orders = ledger.moved(first, 75, 1);
    assertEquals(
        Set.of(new MemoryAction.Answer(one, 4), new MemoryAction.Answer(two, 4)),
        Set.copyOf(orders));
    assertEquals(0, ledger.leftBytes(moves.get(1).moveId()));
    ledger.moveEnded(first, 2);
    ledger.moveEnded(moves.get(1).moveId(), 2);
    assertEquals(List.of(), ledger.tick(3));
    assertEquals(67, ledger.stats().freeBytes());
  }

  /** Its application may have come to nothing and back before an order for it ends. */
  @Test
  void whatIsMovedIsOfTheApplicationAsItIsNow() {
    ledger.moverWorks(true, 0);
    ledger.recovered("large", 100);
    List<MemoryAction> orders = ledger.ask(holder(), MemoryKind.WRITING, 4, WaitLimit.COMING, 0);
    long move = ((MemoryAction.Move) orders.get(0)).moveId();
    ledger.moved(move, 100, 1);
    assertEquals(Set.of("app"), ledger.sends().keySet(), "nothing is left of the other");
    ledger.recovered("large", 50);
    ledger.moved(move, 50, 2);
    assertEquals(0, held(MemoryKind.SEND));
    assertEquals(96, ledger.stats().freeBytes());
    ledger.moveEnded(move, 3);
  }

  /** It may be late because the disk is full, and to write may be how it gives back. */
  @Test
  void whoIsLateIsGrantedWhatItHasNowhereElseToWriteTo() {
    long late = holder();
    ledger.receivesNotices(late, true);
    ledger.ask(late, MemoryKind.RECEIVE, 60, WaitLimit.NONE, 0);
    long other = ledger.join(new Holding.HolderId("user", "other", "task", HolderRole.MAP), 0);
    ledger.ask(other, MemoryKind.WRITING, 50, WaitLimit.LAST, 0);
    assertEquals(50, ledger.keepBytes(late, MemoryKind.RECEIVE), "it was told");
    ledger.leave(other, 0, 1);
    long lateMs = LedgerModel.TERMS.revokeMs();
    for (MemoryKind kind : List.of(MemoryKind.RECEIVE, MemoryKind.WRITING)) {
      assertEquals(
          List.of(new MemoryAction.Answer(late, 0)),
          ledger.ask(late, kind, 10, WaitLimit.NONE, lateMs),
          "it has not obeyed");
    }
    assertEquals(
        List.of(new MemoryAction.Answer(late, 30)),
        ledger.ask(late, MemoryKind.WRITING, 30, WaitLimit.LAST, lateMs));
    assertEquals(10, ledger.stats().freeBytes());
  }

  /** What it sorts has its place in memory, also if a part of a lease came to nothing. */
  @Test
  void whatIsNotTakenOfTheRoomForRunsIsThatRoomAgain() {
    Holding.HolderId who = new Holding.HolderId("user", "app", "task", HolderRole.MAP);
    long map = ledger.join(who, 0);
    ledger.ask(map, MemoryKind.SORT, 20, WaitLimit.NONE, 0);
    assertEquals(20, held(MemoryKind.ROOM));
    long other = ledger.join(who, 0);
    ledger.ask(other, MemoryKind.WRITING, 60, WaitLimit.LAST, 0);
    assertEquals(0, ledger.stats().freeBytes());
    assertEquals(
        List.of(new MemoryAction.Answer(map, 20)),
        ledger.ask(map, MemoryKind.WRITING, 30, WaitLimit.NONE, 0));
    ledger.giveBack(map, MemoryKind.WRITING, 20, 0);
    assertEquals(20, held(MemoryKind.ROOM), "promised with the chunk");
    assertEquals(0, ledger.stats().freeBytes());
    ledger.ask(map, MemoryKind.WRITING, 20, WaitLimit.NONE, 0);
    ledger.giveBack(map, MemoryKind.SORT, 15, 0);
    ledger.giveBack(map, MemoryKind.WRITING, 20, 0);
    assertEquals(5, held(MemoryKind.ROOM), "as much as it still sorts in");
    ledger.giveBack(map, MemoryKind.SORT, 5, 0);
    assertEquals(0, held(MemoryKind.ROOM));
    assertEquals(40, ledger.stats().freeBytes());
  }

  /** Also what was promised with the sort buffer: all of an ask, or a part of it. */
  @Test
  void whatIsWrittenInTheRoomForRunsCountsAsGranted() {
    long map = ledger.join(new Holding.HolderId("user", "app", "task", HolderRole.MAP), 0);
    ledger.ask(map, MemoryKind.SORT, 30, WaitLimit.NONE, 0);
    assertEquals(Map.of(MemoryKind.SORT, 30L), ledger.stats().grantedBytes(), "without the room");
    ledger.ask(map, MemoryKind.WRITING, 10, WaitLimit.NONE, 0);
    assertEquals(10, ledger.stats().grantedBytes().get(MemoryKind.WRITING), "all of it");
    ledger.ask(map, MemoryKind.WRITING, 25, WaitLimit.LAST, 0);
    assertEquals(
        35, ledger.stats().grantedBytes().get(MemoryKind.WRITING), "20, and 5 that were free");
    assertEquals(Map.of(), ledger.stats().refusals());
  }

  @Test
  void aPartInTheRoomForRunsCountsAsGrantedAndTheRestAsRefused() {
    long map = ledger.join(new Holding.HolderId("user", "app", "task", HolderRole.MAP), 0);
    ledger.ask(map, MemoryKind.SORT, 20, WaitLimit.NONE, 0);
    assertEquals(
        List.of(new MemoryAction.Answer(map, 20)),
        ledger.ask(map, MemoryKind.WRITING, 90, WaitLimit.LAST, 0));
    assertEquals(20, ledger.stats().grantedBytes().get(MemoryKind.WRITING));
    assertEquals(Map.of(MemoryKind.WRITING, 1L), ledger.stats().refusals());
  }

  /** What it has is its own from the moment on that it asks. */
  @Test
  void whoWaitsForTheRestIsGrantedItsRoomAlready() {
    ledger.moverWorks(true, 0);
    ledger.recovered("other", 40);
    long map = ledger.join(new Holding.HolderId("user", "app", "task", HolderRole.MAP), 0);
    ledger.ask(map, MemoryKind.SORT, 20, WaitLimit.NONE, 0);
    assertEquals(
        List.of(MemoryAction.Move.class),
        kinds(ledger.ask(map, MemoryKind.WRITING, 50, WaitLimit.LAST, 0)));
    assertEquals(20, ledger.stats().grantedBytes().get(MemoryKind.WRITING));
    assertEquals(List.of(new MemoryAction.Answer(map, 20)), ledger.stopped("app", 1));
    assertEquals(20, ledger.stats().grantedBytes().get(MemoryKind.WRITING));
  }
}
