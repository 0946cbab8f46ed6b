package io.sluice.spill.ledger;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holder.MemoryRequest;
import io.sluice.spill.ledger.Holder.Notice;
import io.sluice.spill.ledger.MemoryAccounts.Account;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides which memory is given back when memory is short: first received data, then loans of sort
 * buffers, then outputs, and last sort buffers within their claims. Each step covers the bytes that
 * the steps before it cannot bring. No request waits for a notice: outputs are moved for it
 * although notices are out.
 *
 * <p>It reads the accounts and changes nothing: {@link MemoryLedger} posts the decisions of a step
 * to the accounts before it takes the next. Thread contract: its ledger's.
 */
class RevocationPolicy {
  private final MemoryAccounts accounts;
  private final GrantPolicy grants;

  RevocationPolicy(MemoryAccounts accounts, GrantPolicy grants) {
    this.accounts = accounts;
    this.grants = grants;
  }

  /** Memory that is to become free. */
  sealed interface Decision {
    /** A holder gives back its memory of a kind beyond a notice. */
    record Revoke(Holder holder, MemoryKind kind, Notice notice) implements Decision {
      long backBytes() {
        return holder.bytes(kind) - notice.keepBytes();
      }
    }

    /** Outputs of an application are moved. */
    record Move(Account account, long bytes, boolean urgent) implements Decision {}
  }

  /** Decides one step. */
  @FunctionalInterface
  interface Step {
    List<Decision> decide(Need need);
  }

  /** The memory that requests lack, at one moment. */
  final class Need {
    private final long nowMs;
    private final FairShares shares = new FairShares(accounts);
    private final List<MemoryRequest> queued = List.copyOf(accounts.queue);
    private final Set<Holder> waiting =
        queued.stream().map(MemoryRequest::holder).collect(Collectors.toSet());

    /** Waiting and refused requests, without loans, which take nothing from outputs. */
    private final List<MemoryRequest> wanted =
        Stream.concat(
                queued.stream(),
                accounts.wants.values().stream().filter(request -> !request.loan()))
            .toList();

    private final long wantedLackingBytes = lackingBytes(wanted);

    private Need(long nowMs) {
      this.nowMs = nowMs;
    }

    /** Bytes that these requests want beyond the memory that is free for them. */
    private long lackingBytes(List<MemoryRequest> requests) {
      long wantedBytes = 0;
      long keptBytes = 0;
      for (MemoryRequest request : requests) {
        wantedBytes += request.chargeBytes();
        keptBytes = Math.max(keptBytes, grants.keptBytes(request, shares));
      }
      return wantedBytes == 0 ? 0 : wantedBytes + keptBytes - accounts.freeBytes();
    }

    private long expectedBytes() {
      return accounts.holders.values().stream()
          .mapToLong(holder -> holder.expectedBytes(nowMs))
          .sum();
    }

    /** Bytes that notices and moves will bring. */
    private long comingBytes() {
      return expectedBytes() + accounts.movingBytes();
    }

    /** Bytes that notices must still bring. */
    private long recallBytes() {
      return wantedLackingBytes - comingBytes();
    }

    private Decision.Revoke revoke(Holder holder, MemoryKind kind, long keepBytes) {
      Notice told = holder.notices.get(kind);
      long lateAtMs =
          told != null
                  && nowMs >= told.lateAtMs() // a late holder stays late, however much is wanted
              ? told.lateAtMs()
              : nowMs + accounts.terms.revokeMs();
      return new Decision.Revoke(holder, kind, new Notice(keepBytes, lateAtMs));
    }
  }

  final Need need(long nowMs) {
    return new Need(nowMs);
  }

  /** The steps, in their order. */
  List<Step> steps() {
    return List.of(
        this::received,
        this::loans,
        this::outputs,
        this::outputsAhead,
        this::claims,
        this::unequalLoans);
  }

  final List<Decision> received(Need need) {
    List<Decision> decisions = new ArrayList<>();
    long leftBytes = need.recallBytes();
    if (leftBytes <= 0) {
      return decisions; // each event comes here: nothing is sorted if nothing is lacking
    }
    boolean forReceive =
        need.wanted.stream().allMatch(request -> request.kind() == MemoryKind.RECEIVE);
    for (Holder holder : sorted(holder -> holder.account.heldBytes())) {
      long keepBytes = Math.max(0, holder.bytes(MemoryKind.RECEIVE) - leftBytes);
      boolean fair = !forReceive || holder.account.heldBytes() > need.shares.levelBytes();
      if (leftBytes > 0
          && fair
          && !need.waiting.contains(holder) // a holder that was refused can give back too
          && holder.hasMoreThan(MemoryKind.RECEIVE, keepBytes)
          && holder.notices.get(MemoryKind.RECEIVE) == null) {
        Decision.Revoke revoke = need.revoke(holder, MemoryKind.RECEIVE, keepBytes);
        decisions.add(revoke);
        leftBytes -= revoke.backBytes();
      }
    }
    return decisions;
  }

  final List<Decision> loans(Need need) {
    List<Decision> decisions = new ArrayList<>();
    long leftBytes = need.recallBytes();
    if (leftBytes <= 0) {
      return decisions;
    }
    for (Holder holder : sorted(holder -> holder.bytes(MemoryKind.SORT))) {
      long keepBytes = Math.max(holder.claimBytes, holder.bytes(MemoryKind.SORT) - leftBytes);
      if (leftBytes > 0
          && !need.waiting.contains(holder)
          && !accounts.wants.containsKey(holder.id)
          && holder.hasMoreThan(MemoryKind.SORT, keepBytes)
          && holder.notices.get(MemoryKind.SORT) == null) {
        Decision.Revoke revoke = need.revoke(holder, MemoryKind.SORT, keepBytes);
        decisions.add(revoke);
        leftBytes -= revoke.backBytes();
      }
    }
    return decisions;
  }

  final List<Decision> outputs(Need need) {
    if (!accounts.moverWorks) {
      return List.of();
    }
    List<MemoryRequest> queued = movedFor(need.queued);
    List<MemoryRequest> wanted = movedFor(need.wanted);
    long urgentBytes =
        Math.max(
            need.lackingBytes(queued) - accounts.movingBytes(),
            need.lackingBytes(wanted) - need.comingBytes());
    return move(urgentBytes, true, isMovedForOneOf(wanted));
  }

  /** Outputs are moved before anybody asks, for claims that may come. */
  final List<Decision> outputsAhead(Need need) {
    if (!accounts.moverWorks) {
      return List.of();
    }
    long leastBytes = leastClaimantBytes();
    return move(
        need.shares.keepFreeBytes() - accounts.freeBytes() - accounts.movingBytes(),
        false,
        account -> accounts.outputsHaveCopies || account.heldBytes() > leastBytes);
  }

  /** The requests for which outputs of some application are moved. */
  private List<MemoryRequest> movedFor(List<MemoryRequest> requests) {
    Optional<Account> furthest =
        accounts.applications.values().stream().max(Comparator.comparingLong(Account::heldBytes));
    return requests.stream()
        .filter(request -> furthest.isPresent() && accounts.isMovedFor(request, furthest.get()))
        .toList();
  }

  /** Whether outputs of an application are moved for one of these at least. */
  private Predicate<Account> isMovedForOneOf(List<MemoryRequest> requests) {
    Optional<MemoryRequest> least =
        requests.stream()
            .filter(request -> request.kind() != MemoryKind.RECEIVE)
            .min(Comparator.comparingLong(RevocationPolicy::boundBytes));
    return account -> least.isPresent() && accounts.isMovedFor(least.get(), account);
  }

  /** An application that holds more has outputs moved for it. */
  private static long boundBytes(MemoryRequest request) {
    return request.limit() == WaitLimit.LAST
        ? Long.MIN_VALUE
        : request.holder().account.heldBytes() + request.chargeBytes();
  }

  /** An application that holds more has outputs moved for claims that others may make. */
  private long leastClaimantBytes() {
    Stream<Account> expected =
        accounts.applications.values().stream().filter(account -> account.isExpected);
    Stream<Account> claimants =
        accounts.holders.values().stream()
            .filter(holder -> MemoryAccounts.unclaimedBytes(holder) > 0)
            .map(holder -> holder.account);
    return Stream.concat(expected, claimants)
        .mapToLong(Account::heldBytes)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private List<Decision> move(long bytes, boolean urgent, Predicate<Account> from) {
    List<Decision> decisions = new ArrayList<>();
    if (bytes <= 0) {
      return decisions;
    }
    long leftBytes = bytes;
    List<Account> furthestFirst =
        accounts.applications.values().stream()
            .filter(from)
            .sorted(Comparator.comparingLong(Account::heldBytes).reversed())
            .toList();
    for (Account account : furthestFirst) {
      long partBytes = Math.min(leftBytes, account.movableBytes());
      if (partBytes > 0) {
        decisions.add(new Decision.Move(account, partBytes, urgent));
        leftBytes -= partBytes;
      }
    }
    return decisions;
  }

  /** Bytes of outputs that could still be moved for one of these requests. */
  long movableBytes(List<MemoryRequest> requests) {
    return accounts.applications.values().stream()
        .filter(isMovedForOneOf(requests))
        .mapToLong(this::movableBytes)
        .sum();
  }

  private long movableBytes(Account account) {
    return accounts.moverWorks ? account.movableBytes() : 0;
  }

  final List<Decision> claims(Need need) {
    List<Decision> decisions = new ArrayList<>();
    // A writer can write to disk, but for a request of last resort.
    List<MemoryRequest> sorts =
        need.wanted.stream()
            .filter(
                request -> request.kind() == MemoryKind.SORT || request.limit() == WaitLimit.LAST)
            .toList();
    long comingBytes = need.comingBytes();
    if (need.lackingBytes(sorts) <= comingBytes) {
      return decisions; // nor do some of them lack anything
    }
    for (Holder holder : sorted(holder -> holder.account.heldBytes())) {
      long keepBytes = need.shares.sortShareBytes(holder.account);
      if (holder.hasMoreThan(MemoryKind.SORT, keepBytes)) {
        List<MemoryRequest> takers =
            sorts.stream().filter(request -> mayTake(request, holder)).toList();
        if (need.lackingBytes(takers) > comingBytes + movableBytes(takers)) {
          Decision.Revoke revoke = need.revoke(holder, MemoryKind.SORT, keepBytes);
          decisions.add(revoke);
          comingBytes += holder.moreExpectedBytes(MemoryKind.SORT, revoke.notice(), need.nowMs);
        }
      }
    }
    return decisions;
  }

  private boolean mayTake(MemoryRequest request, Holder holder) {
    return request.holder() != holder
        && (accounts.isMovedFor(request, holder.account) || isLess(request, holder));
  }

  /** Whether a task of the same application sorts in less, and there are no outputs instead. */
  private boolean isLess(MemoryRequest request, Holder holder) {
    return request.holder().account == holder.account
        && movableBytes(holder.account) == 0
        && request.holder().bytes(MemoryKind.SORT) < holder.bytes(MemoryKind.SORT);
  }

  /** Revokes for refused loans of holders below their share, from holders above theirs. */
  final List<Decision> unequalLoans(Need need) {
    List<Decision> decisions = new ArrayList<>();
    long leftBytes =
        accounts.wants.values().stream()
                .filter(need.shares::isLoanBelowShare)
                .mapToLong(MemoryRequest::chargeBytes)
                .sum()
            - need.expectedBytes();
    if (leftBytes <= 0) {
      return decisions;
    }
    for (Holder holder : sorted(holder -> holder.bytes(MemoryKind.SORT))) {
      long keepBytes = Math.max(holder.claimBytes, need.shares.sortShareBytes(holder.account));
      if (leftBytes > 0 && holder.hasMoreThan(MemoryKind.SORT, keepBytes)) {
        Decision.Revoke revoke = need.revoke(holder, MemoryKind.SORT, keepBytes);
        decisions.add(revoke);
        leftBytes -= revoke.backBytes();
      }
    }
    return decisions;
  }

  /** The holders, largest first. */
  private List<Holder> sorted(ToLongFunction<Holder> by) {
    return accounts.holders.values().stream()
        .sorted(Comparator.comparingLong(by).reversed())
        .toList();
  }
}
