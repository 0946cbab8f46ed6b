package io.sluice.spill.ledger;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holder.MemoryRequest;
import io.sluice.spill.ledger.MemoryAccounts.Account;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The ledger of a node's memory: grants it to tasks for sorting, writing and receiving, in steps
 * and in turns, and decides which tasks give back when it is short.
 *
 * <p>Each call reports an event, at a time that never goes back, and returns the actions to
 * execute. Nothing waits in here: a request that is not answered at once is answered by a later
 * call, {@link #tick} at the latest.
 *
 * <ul>
 *   <li>A sort buffer is granted together with room for its runs, so that a spill finds room for
 *       itself. Memory beyond {@link GrantTerms#claimBytes}, the task's own buffer included, is a
 *       loan. It comes from memory that is free beyond the runs of all sort buffers, as far as
 *       those of an application are within its share.
 *   <li>No output is moved for another output of its application, for a sort buffer of it, or for
 *       received data: a task that lacks memory for these writes to disk at once, which costs the
 *       disk as much and waits for nothing.
 *   <li>A request waits for memory that the service can free itself, at most {@link
 *       GrantTerms#waitMs}. One of {@link WaitLimit#LAST} also waits for memory that others are
 *       told to give back, at most {@link GrantTerms#revokeMs}.
 *   <li>Nothing is taken by force. A task that misses its deadline gets no grants until it
 *       complies, except for data that it can write nowhere else: it loses its next step, and no
 *       record.
 *   <li>The last eighth is reserved for applications below their share, and lent only to tasks that
 *       receive notices and have always obeyed. An application that is alone writes there too,
 *       while as much of its outputs can be moved for one that is {@link #expected}. So one alone
 *       may have all memory, and one that ignores all notices may not.
 * </ul>
 *
 * <p>Thread contract: one thread at a time, by a lock of its owner. Ownership: nothing to close.
 * Failure: {@link IllegalArgumentException} for impossible requests, {@link IllegalStateException}
 * for giving back more than is held; both change nothing.
 */
public class MemoryLedger {
  /** Time that the first task of an application takes to connect after its container starts. */
  static final long EXPECTED_MS = 30_000;

  private final MemoryAccounts accounts;
  private final GrantPolicy grants;
  private final RevocationPolicy revocations;
  private long holderIds;
  private long requests;

  /** All of it is free; nothing is moved until {@link #moverWorks} says so. */
  public MemoryLedger(GrantTerms terms, long capacityBytes) {
    this(new MemoryAccounts(terms, capacityBytes));
  }

  private MemoryLedger(MemoryAccounts accounts) {
    this(accounts, new GrantPolicy(accounts));
  }

  /** With other rules for granting. */
  MemoryLedger(MemoryAccounts accounts, GrantPolicy grants) {
    this(accounts, grants, new RevocationPolicy(accounts, grants));
  }

  /** With other rules. */
  MemoryLedger(MemoryAccounts accounts, GrantPolicy grants, RevocationPolicy revocations) {
    this.accounts = accounts;
    this.grants = grants;
    this.revocations = revocations;
  }

  /**
   * Tasks of an application are about to come. If it has none, and holds nothing, an eighth is
   * freed for them and kept for a while, because they will want memory faster than a disk frees it.
   */
  public List<MemoryAction> expected(String application, long nowMs) {
    Account account = account(application);
    if (account.isEmpty()) {
      account.ended = false;
      account.isExpected = true;
      account.expectedUntilMs = nowMs + EXPECTED_MS;
    }
    return settle(nowMs);
  }

  /**
   * A task has connected; it does not receive notices yet. If its application had ended, that was
   * another one of the same name.
   *
   * @param ownSortBytes a sort buffer of its own, which counts against its claim
   */
  public long join(Holding.HolderId who, long ownSortBytes) {
    Account account = account(who.application());
    account.holders++;
    account.ended = false;
    account.isExpected = false;
    long id = holderIds++;
    accounts.holders.put(
        id,
        new Holder(
            id,
            who,
            account,
            ownSortBytes,
            Math.max(0, accounts.terms.claimBytes() - ownSortBytes)));
    return id;
  }

  /** Whether a task receives notices now; else it is told with its answers only. */
  public void receivesNotices(long holderId, boolean receives) {
    holder(holderId).receivesNotices = receives;
  }

  /**
   * A task has ended: its memory is free, but for the part that must settle.
   *
   * @param settlingBytes the part that may still be written to, until {@link #settled}
   */
  public List<MemoryAction> leave(long holderId, long settlingBytes, long nowMs) {
    Holder holder = holder(holderId);
    if (settlingBytes < 0 || settlingBytes > holder.heldBytes()) {
      throw new IllegalArgumentException(settlingBytes + " bytes settle of " + holder.heldBytes());
    }
    accounts.queue.removeIf(request -> request.holder() == holder);
    accounts.wants.remove(holderId);
    accounts.leave(holder, settlingBytes);
    holder.account.holders--;
    return settle(nowMs);
  }

  /** Memory that an ended task left can be granted. */
  public List<MemoryAction> settled(long bytes, long nowMs) {
    accounts.release(MemoryKind.SETTLING, bytes);
    return settle(nowMs);
  }

  /**
   * A task asks; it has one answer before it asks again.
   *
   * @param kind {@link MemoryKind#SORT}, {@link MemoryKind#WRITING} or {@link MemoryKind#RECEIVE}
   */
  public List<MemoryAction> ask(
      long holderId, MemoryKind kind, long bytes, WaitLimit limit, long nowMs) {
    return ask(holderId, kind, bytes, limit, Long.MAX_VALUE, nowMs);
  }

  /** The same with a deadline beside the limit. */
  public List<MemoryAction> ask(
      long holderId, MemoryKind kind, long bytes, WaitLimit limit, long untilMs, long nowMs) {
    Holder holder = holder(holderId);
    if (bytes <= 0 || bytes > accounts.capacityBytes()) {
      throw new IllegalArgumentException(
          bytes + " bytes asked for by " + holder.who + " of " + accounts.capacityBytes());
    }
    if (kind != MemoryKind.SORT && kind != MemoryKind.WRITING && kind != MemoryKind.RECEIVE) {
      throw new IllegalArgumentException(kind + " asked for by " + holder.who);
    }
    if (accounts.queue.stream().anyMatch(request -> request.holder() == holder)) {
      throw new IllegalArgumentException(holder.who + " asks a second time");
    }
    List<MemoryAction> actions = new ArrayList<>();
    expire(nowMs);
    long hasBytes = kind == MemoryKind.WRITING ? accounts.useRoom(holder, bytes) : 0;
    if (hasBytes == bytes) {
      actions.add(new MemoryAction.Answer(holderId, bytes));
    } else {
      long limitMs = Math.min(untilMs, nowMs + grants.waitMs(limit));
      MemoryRequest request =
          grants.request(requests++, holder, kind, hasBytes, bytes - hasBytes, limit, limitMs);
      if (grants.isRefusedAtOnce(request, nowMs)) {
        actions.add(accounts.refuse(request));
      } else {
        accounts.queue.add(request);
        serve(nowMs, actions);
      }
    }
    actions.addAll(settle(nowMs));
    return actions;
  }

  /**
   * A task gives memory back, or has not taken its grant. With a sort buffer the room for its runs
   * goes too. Memory for writing becomes such room again, as far as the buffer lacks some.
   */
  public List<MemoryAction> giveBack(long holderId, MemoryKind kind, long bytes, long nowMs) {
    Holder holder = holder(holderId);
    checkHeld(holder, kind, bytes);
    long lackingBytes =
        grants.roomFor(holder.bytes(MemoryKind.SORT)) - holder.bytes(MemoryKind.ROOM);
    long keptBytes = kind == MemoryKind.WRITING ? Math.max(0, Math.min(bytes, lackingBytes)) : 0;
    accounts.convert(holder, MemoryKind.WRITING, MemoryKind.ROOM, keptBytes);
    accounts.credit(holder, kind, bytes - keptBytes);
    long roomBytes = holder.bytes(MemoryKind.ROOM) - grants.roomFor(holder.bytes(MemoryKind.SORT));
    if (kind == MemoryKind.SORT && roomBytes > 0) {
      accounts.credit(holder, MemoryKind.ROOM, roomBytes);
    }
    return settle(nowMs);
  }

  /** Bytes that a task wrote have become its application's. */
  public List<MemoryAction> commit(long holderId, long bytes, long nowMs) {
    Holder holder = holder(holderId);
    checkHeld(holder, MemoryKind.WRITING, bytes);
    accounts.commit(holder, bytes);
    return settle(nowMs);
  }

  /** Outputs were freed. */
  public List<MemoryAction> freed(String application, long bytes, long nowMs) {
    accounts.creditSend(account(application), bytes);
    return settle(nowMs);
  }

  /** An application has ended: its tasks are granted nothing more. */
  public List<MemoryAction> stopped(String application, long nowMs) {
    Account account = account(application);
    account.ended = true;
    account.isExpected = false;
    List<MemoryAction> actions = new ArrayList<>();
    for (MemoryRequest request : List.copyOf(accounts.queue)) {
      if (request.holder().account.ended) {
        accounts.queue.remove(request);
        actions.add(new MemoryAction.Answer(request.holder().id, request.hasBytes()));
      }
    }
    accounts.wants.values().removeIf(request -> request.holder().account.ended);
    actions.addAll(settle(nowMs));
    return actions;
  }

  /**
   * Bytes of an order have been moved, and are free. More bytes than were ordered count for the
   * other orders: outputs are moved in parts, which may be longer than a step.
   */
  public List<MemoryAction> moved(long moveId, long bytes, long nowMs) {
    String application = accounts.moved(moveId, bytes);
    accounts.creditSend(account(application), bytes); // it may have come to nothing, and back
    return settle(nowMs);
  }

  /** How much of an order is still to be moved. */
  public long leftBytes(long moveId) {
    return accounts.leftBytes(moveId);
  }

  /** An order to move has ended; outputs that were not moved are not tried again for a while. */
  public List<MemoryAction> moveEnded(long moveId, long nowMs) {
    accounts.endMove(moveId, nowMs + accounts.terms.wantMs());
    return settle(nowMs);
  }

  /** Whether there is a disk tier that takes outputs now. */
  public List<MemoryAction> moverWorks(boolean works, long nowMs) {
    accounts.moverWorks = works;
    return settle(nowMs);
  }

  /** Outputs are copied to disk soon after they are committed. */
  public void outputsHaveCopies() {
    accounts.outputsHaveCopies = true;
  }

  /** The memory tier has become larger or smaller; held memory is not taken away. */
  public List<MemoryAction> capacity(long bytes, long nowMs) {
    accounts.capacity(bytes);
    return settle(nowMs);
  }

  /** Outputs were found at the start. */
  public void recovered(String application, long bytes) {
    accounts.chargeSend(account(application), bytes);
  }

  /** Blocks were found at the start that tasks may still write to. */
  public void quarantined(long bytes) {
    accounts.withhold(MemoryKind.QUARANTINE, bytes);
  }

  /** Some of these blocks were committed all the same. */
  public void resumed(String application, long bytes) {
    accounts.resume(account(application), bytes);
  }

  /** Some of these blocks can be granted. */
  public List<MemoryAction> reviewed(long bytes, long nowMs) {
    accounts.release(MemoryKind.QUARANTINE, bytes);
    return settle(nowMs);
  }

  /** Time has passed. */
  public List<MemoryAction> tick(long nowMs) {
    return settle(nowMs);
  }

  /** Most bytes of a kind that a holder may keep, by its last notice; else {@code MAX_VALUE}. */
  public long keepBytes(long holderId, MemoryKind kind) {
    Holder.Notice told = holder(holderId).notices.get(kind);
    return told == null ? Long.MAX_VALUE : told.keepBytes();
  }

  /** The memory of each holder. */
  public List<Holding> holdings(long nowMs) {
    return accounts.holders.values().stream()
        .map(holder -> new Holding(holder.who, Map.copyOf(holder.bytes), holder.isLate(nowMs)))
        .toList();
  }

  /** Counts at this moment. */
  public LedgerStats stats() {
    return accounts.stats();
  }

  /** Whether any request waits for an answer. */
  public boolean isAwaited() {
    return !accounts.queue.isEmpty();
  }

  /** Bytes of each application's outputs in memory. */
  public Map<String, Long> sends() {
    return accounts.applications.values().stream()
        .collect(Collectors.toMap(account -> account.application, account -> account.sendBytes));
  }

  private List<MemoryAction> settle(long nowMs) {
    List<MemoryAction> actions = new ArrayList<>();
    expire(nowMs);
    for (Holder holder : accounts.holders.values()) {
      boolean late = holder.isLate(nowMs);
      if (late && !holder.late) {
        accounts.lates++;
      }
      holder.late = late;
      holder.wasLate |= late;
    }
    serve(nowMs, actions);
    takeBack(nowMs, actions);
    accounts.applications.values().removeIf(Account::isEmpty);
    return actions;
  }

  /**
   * Grants the requests that it can, in order, and refuses those that would wait in vain or too
   * long. The requests are sorted once, and again after a grant: each event of the node comes here.
   */
  private void serve(long nowMs, List<MemoryAction> actions) {
    List<MemoryRequest> open = grants.inOrder();
    Optional<GrantPolicy.Decision> decision = grants.decide(open, nowMs);
    while (decision.isPresent()) {
      MemoryRequest request = decision.get().request();
      if (decision.get().granted()) {
        actions.add(accounts.grant(request));
        open = grants.inOrder(); // its holder has more now, and so has its application
      } else {
        actions.add(accounts.refuse(request, nowMs + accounts.terms.wantMs()));
        open.remove(request); // it may have kept others from free memory
      }
      decision = grants.decide(open, nowMs);
    }
  }

  /** Revokes and moves memory that is lacking. */
  private void takeBack(long nowMs, List<MemoryAction> actions) {
    RevocationPolicy.Need need = revocations.need(nowMs);
    for (RevocationPolicy.Step step : revocations.steps()) {
      step.decide(need).forEach(decision -> actions.add(accounts.post(decision)));
    }
  }

  private void expire(long nowMs) {
    accounts.wants.values().removeIf(want -> nowMs >= want.untilMs());
    for (Account account : accounts.applications.values()) {
      if (nowMs >= account.unmovableUntilMs) {
        account.unmovableBytes = 0;
      }
      account.isExpected &= nowMs < account.expectedUntilMs;
    }
  }

  private Account account(String application) {
    return accounts.applications.computeIfAbsent(application, Account::new);
  }

  private Holder holder(long holderId) {
    Holder holder = accounts.holders.get(holderId);
    if (holder == null) {
      throw new IllegalArgumentException("no holder " + holderId);
    }
    return holder;
  }

  private static void checkHeld(Holder holder, MemoryKind kind, long bytes) {
    if (bytes < 0 || bytes > holder.bytes(kind)) {
      throw new IllegalStateException(
          "%s bytes of %s from %s, which holds %s"
              .formatted(bytes, kind, holder.who, holder.bytes(kind)));
    }
  }
}
