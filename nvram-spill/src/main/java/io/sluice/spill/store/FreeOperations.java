package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Frees committed outputs: one, some of an application, or all when the application has ended.
 *
 * <p>Thread contract: called under no lock, but for {@link #free(CommittedOutput,
 * DeferredRelease)}. Failure: {@link IOException} if something could not be freed; everything else
 * is.
 */
final class FreeOperations {
  private final StoreState state;
  private final CommitMarks marks;
  private final ReleaseOperations releases;
  private final Quarantine quarantine;

  FreeOperations(
      StoreState state, CommitMarks marks, ReleaseOperations releases, Quarantine quarantine) {
    this.state = state;
    this.marks = marks;
    this.releases = releases;
    this.quarantine = quarantine;
  }

  /** As {@link SpillStore#freeApplication}. */
  void freeApplication(String applicationId) throws IOException {
    Closer closer = new Closer();
    releases.run(
        closer,
        givenBack -> {
          state.checkOpen();
          state.leases.stream()
              .filter(lease -> lease.applicationId().equals(applicationId))
              .forEach(Lease::revoke);
          state.arbiter.stopped(applicationId);
          freeAll(state.outputs.of(applicationId), givenBack, closer);
          quarantine.freed(applicationId);
        });
    closer.run(quarantine::review);
    closer.finish(DeferredRelease.NOT_ALL);
  }

  /** Frees the outputs of an application of which this holds for the output's id. */
  void freeOutputs(String applicationId, Predicate<String> areFreed) throws IOException {
    Closer closer = new Closer();
    releases.run(
        closer,
        givenBack -> {
          state.checkOpen();
          List<CommittedOutput> chosen =
              state.outputs.of(applicationId).stream()
                  .filter(output -> areFreed.test(output.id().outputId()))
                  .toList();
          freeAll(chosen, givenBack, closer);
        });
    closer.finish(DeferredRelease.NOT_ALL);
  }

  /** Frees one output, if it is here. */
  void freeOutput(OutputId id) throws IOException {
    releases.run(
        givenBack -> {
          state.checkOpen();
          CommittedOutput output = state.outputs.find(id);
          if (output != null) {
            free(output, givenBack);
          }
        });
  }

  /** Frees those that are still there; lets in others meanwhile, because disks take their time. */
  private void freeAll(List<CommittedOutput> freed, DeferredRelease givenBack, Closer closer) {
    YieldingLock turn = new YieldingLock(state.lock);
    for (CommittedOutput output : freed) {
      turn.pass(() -> givenBack.tell(state.arbiter));
      if (state.quiet) {
        closer.run(state::checkOpen); // what is left is freed by the next start
        return;
      }
      if (state.outputs.find(output.id()) == output) {
        closer.run(() -> free(output, givenBack));
      }
    }
  }

  /**
   * Frees an output, under the lock: nobody finds it from here on, and its blocks go back once its
   * mark is cleared.
   */
  void free(CommittedOutput output, DeferredRelease givenBack) throws IOException {
    Optional<OutputCopies.Copy> copy = state.copies.take(output.id());
    if (copy.isPresent()) {
      releases.giveUpCopy(copy.get(), givenBack);
    }
    OutputLocation location = output.location();
    boolean onDisk = location.tail().info().tier() == Tier.DISK;
    if (!onDisk) {
      marks.clear(location);
    }
    state.outputs.remove(output);
    state.copier.remove(output);
    location.release(); // first: a reader of blocks that others have by now must see it
    Optional<OutputLocation> stale = state.staleExtents.take(output.id());
    DeferredRelease.Step blocks =
        to -> {
          to.freed(output.id().applicationId(), location.bytesOf(Tier.MEMORY));
          Closer closer = new Closer();
          closer.run(() -> state.free(location.extents(), to));
          stale.ifPresent(it -> closer.run(() -> state.free(it.extents(), to)));
          closer.finish(DeferredRelease.NOT_ALL);
        };
    if (onDisk) {
      givenBack.unmark(location, blocks);
    } else {
      blocks.run(givenBack);
    }
  }
}
