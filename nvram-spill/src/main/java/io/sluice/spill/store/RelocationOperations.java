package io.sluice.spill.store;

import io.sluice.spill.disk.IoClass;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Moves outputs from memory to the disk tier, and keeps copies of them there. The bytes are written
 * first, by {@link CopyWriter}, under no lock. Under the lock the new location gets its mark, the
 * old one loses its own, and the directory of outputs names the new one. A copy has its mark
 * before; the output moves there without a write.
 *
 * <p>Thread contract: called under no lock. Failure: {@link StoreFullException} if the disk tier
 * has no room, {@link IOException} of the disks; the output lies where it lay, whole.
 */
final class RelocationOperations {
  private final StoreState state;
  private final CommitMarks marks;
  private final ReleaseOperations releases;
  private final CopyWriter writer;

  RelocationOperations(
      StoreState state, CommitMarks marks, ReleaseOperations releases, CopyWriter writer) {
    this.state = state;
    this.marks = marks;
    this.releases = releases;
    this.writer = writer;
  }

  /** As {@link SpillStore#moveToDisk(CommittedOutput, LongSupplier, BooleanSupplier)}, in parts. */
  long moveToDisk(
      CommittedOutput output, long partBytes, LongSupplier wantedBytes, BooleanSupplier isAwaited)
      throws IOException {
    AtomicLong freedBytes = new AtomicLong();
    Optional<CommittedOutput> rest = Optional.of(output);
    try {
      while (rest.isPresent() && wantedBytes.getAsLong() > 0) {
        long mostBytes = rest.get().location().wasTold() ? Long.MAX_VALUE : partBytes;
        rest = moveEnd(rest.get(), mostBytes, isAwaited, freedBytes);
      }
    } catch (StoreFullException e) {
      if (freedBytes.get() == 0) { // else a caller that wants more is told when it asks for that
        throw e;
      }
    } finally {
      rest.filter(now -> now != output).ifPresent(state::copyLater);
    }
    return freedBytes.get();
  }

  /** Returns the output as it lies then, if something of it still lies in memory. */
  private Optional<CommittedOutput> moveEnd(
      CommittedOutput output, long mostBytes, BooleanSupplier isAwaited, AtomicLong freedBytes)
      throws IOException {
    if (switchToCopy(output, freedBytes)) {
      return Optional.empty();
    }
    try {
      writer.write(
          output,
          mostBytes,
          false,
          () -> isAwaited.getAsBoolean() ? IoClass.WRITE_SEND : IoClass.WRITE_AHEAD,
          (moved, lease) ->
              releases.run(givenBack -> switchTo(moved, output, lease, freedBytes, givenBack)));
    } catch (IOException e) {
      if (state.find(output.id()).orElse(null) == output) {
        throw e;
      }
    }
    return state
        .find(output.id())
        .filter(now -> now != output && now.identity().equals(output.identity()))
        .filter(now -> now.location().bytesOf(Tier.MEMORY) > 0);
  }

  /** Under the lock: from here on the output lies where it was written to. */
  private void switchTo(
      CommittedOutput moved,
      CommittedOutput output,
      Lease lease,
      AtomicLong freedBytes,
      DeferredRelease givenBack)
      throws IOException {
    if (state.outputs.find(output.id()) != output) {
      return;
    }
    state.checkUsable(lease);
    Optional<OutputCopies.Copy> copy = state.copies.take(output.id()); // made meanwhile
    if (copy.isPresent()) {
      releases.giveUpCopy(copy.get(), givenBack);
      releases.unmarkAtOnce(givenBack);
    }
    marks.set(moved);
    try { // of two locations that are marked, recovery takes the later one
      marks.clear(output.location());
    } catch (IOException | RuntimeException | Error e) {
      marks.takeBackAfter(e, moved);
      throw e;
    }
    lease.held().ranges().forEach(lease.held()::remove); // all of it is the output's
    leave(output, moved, freedBytes, givenBack);
  }

  /** Under the lock: the output lies elsewhere by now, as the marks say. */
  private void leave(
      CommittedOutput output,
      CommittedOutput moved,
      AtomicLong freedBytes,
      DeferredRelease givenBack)
      throws IOException {
    state.outputs.add(moved);
    state.copier.remove(output);
    OutputLocation left = output.location();
    left.release(); // first: a reader that is told of it from now on sees it
    long stayingBytes = moved.location().bytesOf(Tier.MEMORY);
    long leftBytes = left.bytesOf(Tier.MEMORY) - stayingBytes;
    freedBytes.addAndGet(leftBytes);
    state.arbiter.moved(output.id().applicationId(), leftBytes); // whatever fails from here on
    boolean leftAll =
        stayingBytes == 0 && left.bytesOf(Tier.DISK) == 0; // none is its new location's
    if (left.wasTold() && leftAll) {
      state.staleExtents.add(output.id(), left);
      for (Extent extent : left.extents()) {
        state.files.leaseMarks().freed(extent.range()); // nobody writes there: no successor waits
      }
    } else {
      state.memorySpace.came();
      state.free(left.extentsBeside(moved.location()), givenBack);
    }
  }

  /**
   * Lays a copy of an output on the disk tier, marked as if the output lay there alone: if the
   * memory is lost, it does. Nothing is done if the output has a copy, or was freed, replaced or
   * moved meanwhile.
   *
   * @throws StoreFullException if the disk tier has no room
   */
  void copyToDisk(CommittedOutput output) throws IOException {
    if (!lacksCopy(output)) {
      return;
    }
    try {
      writer.write(
          output,
          Long.MAX_VALUE,
          true,
          () -> IoClass.COPY,
          (copy, lease) -> releases.run(givenBack -> keepCopy(copy, output, lease)));
    } catch (IOException e) {
      if (lacksCopy(output)) {
        throw e;
      }
    }
  }

  private boolean lacksCopy(CommittedOutput output) {
    return state.locked(
        () ->
            state.outputs.find(output.id()) == output
                && output.location().bytesOf(Tier.MEMORY) > 0
                && !state.copies.has(output.id()));
  }

  private void keepCopy(CommittedOutput copy, CommittedOutput output, Lease lease)
      throws IOException {
    if (lacksCopy(output)) {
      state.checkUsable(lease);
      marks.set(copy);
      lease.held().ranges().forEach(lease.held()::remove);
      state.copies.add(copy, output);
    }
  }

  /** As {@link SpillStore#replaceByCopy}. */
  boolean replaceByCopy(CommittedOutput output, SpillStore.Check check) throws IOException {
    Optional<OutputCopies.Copy> copy = copyOf(output);
    return copy.isPresent()
        && check.isRight(copy.get().output())
        && switchToCopy(output, copy.get(), new AtomicLong());
  }

  /** Whether the output lies where its copy was, or is gone. */
  private boolean switchToCopy(CommittedOutput output, AtomicLong freedBytes) throws IOException {
    Optional<OutputCopies.Copy> copy = copyOf(output);
    return copy.isPresent() && switchToCopy(output, copy.get(), freedBytes);
  }

  private boolean switchToCopy(
      CommittedOutput output, OutputCopies.Copy copy, AtomicLong freedBytes) throws IOException {
    CommittedOutput moved = copy.output();
    // first: a disk that hangs keeps the output where it is
    SegmentHandle.checkAnswers(moved.extents().stream().map(state::segmentOf).toList());
    AtomicBoolean switched = new AtomicBoolean();
    releases.run(
        givenBack -> {
          state.checkOpen(); // later the mark would be cleared in memory that is nobody's
          Optional<OutputCopies.Copy> now = state.copies.find(output.id());
          if (state.outputs.find(output.id()) == output
              && now.filter(it -> it == copy).isPresent()) {
            marks.clear(output.location());
            state.copies.take(output.id());
            leave(output, moved, freedBytes, givenBack);
            switched.set(true);
          }
        });
    return switched.get() || state.find(output.id()).orElse(null) != output;
  }

  private Optional<OutputCopies.Copy> copyOf(CommittedOutput output) {
    return state.locked(() -> state.copies.find(output.id()));
  }
}
