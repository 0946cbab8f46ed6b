package io.sluice.spill.store;

import io.sluice.spill.disk.Device;
import io.sluice.spill.disk.DeviceFile;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Writes an output to the disk tier a second time, under a lease of its own: all of it but the
 * commit mark. {@link OutputCopy} knows the bytes; {@link RelocationOperations} decides what
 * becomes of the second location.
 *
 * <p>Thread contract: called under no lock. Failure: {@link IOException}, and what was leased is
 * given back. Writing stops when the output is freed or replaced meanwhile.
 */
final class CopyWriter {
  private final StoreState state;
  private final LeaseOperations leases;
  private final CopyEviction eviction;

  CopyWriter(StoreState state, LeaseOperations leases, CopyEviction eviction) {
    this.state = state;
    this.leases = leases;
    this.eviction = eviction;
  }

  /** Takes over an output that was written to disk, except for its mark. */
  interface Written {
    void at(CommittedOutput there, Lease lease) throws IOException;
  }

  /**
   * Writes an output. A successor is to know of the lease until nothing of it is left, because all
   * was given back or has its mark; so that record goes last.
   *
   * @param mostBytes of what it has in memory, from its end on
   * @param isCopy whether it stays in memory, too
   * @param ioClass of the next unit
   */
  void write(
      CommittedOutput output,
      long mostBytes,
      boolean isCopy,
      Supplier<IoClass> ioClass,
      Written written)
      throws IOException {
    RecoveredLeases.Own own = null;
    try (Lease lease = open(output)) {
      OutputCopy copy = new OutputCopy(output, state.config.blockBytes(), mostBytes);
      ExtentTable extents = isCopy ? leaseForCopy(output, lease, copy) : leaseForMove(lease, copy);
      own = state.config.formerLeases().own(lease.info(), rangesOf(lease));
      FooterLocation trailer = write(output, copy, extents, lease, isCopy, ioClass);
      long mostExtents = extents.extents().size();
      CommittedOutput there = state.loader.load(trailer, lease.owner(), mostExtents);
      state.announced.announce(onDisk(extents).map(state::segmentOf).toList()); // the rest was
      written.at(there, lease);
    } finally {
      if (own != null) {
        own.close(!state.isQuiet());
      }
    }
  }

  private Lease open(CommittedOutput output) throws IOException {
    return leases.open(
        output.id().applicationId(), output.location().tail().owner(), IoClass.WRITE_SORT);
  }

  private static Stream<Extent> onDisk(ExtentTable extents) {
    return extents.extents().stream().filter(extent -> extent.segment().tier() == Tier.DISK);
  }

  private List<Range> rangesOf(Lease lease) {
    return state.locked(() -> lease.held().ranges());
  }

  /**
   * Writes and, unless somebody waits for the memory of a plain pool, forces: an output that is
   * found by its mark after a crash of the machine must be there. The mark itself is as safe as any
   * other.
   */
  private FooterLocation write(
      CommittedOutput output,
      OutputCopy copy,
      ExtentTable extents,
      Lease lease,
      boolean isCopy,
      Supplier<IoClass> ioClass)
      throws IOException {
    try (InFlightWrites units = new InFlightWrites(state::failedUnlessGone)) {
      FooterLocation trailer =
          copy.write(
              extents,
              lease.info(),
              (range, bytes) -> {
                checkWanted(output, lease);
                units.write(
                    state.segmentOnDisk(range.segmentId()),
                    ioClass.get(),
                    range.offsetBytes(),
                    bytes);
              });
      units.await();
      if (state.config.medium().isPersistent() || isCopy) {
        IoClass last = ioClass.get();
        Set<Integer> segmentIds = new LinkedHashSet<>(); // each forced once, for all extents in it
        onDisk(extents).forEach(extent -> segmentIds.add(extent.segment().segmentId()));
        for (int segmentId : segmentIds) { // a task may not have forced what stays
          state.atDisk(segmentId, segment -> segment.force(last));
        }
      }
      endGivingWay(output, lease);
      return trailer;
    } catch (IOException e) {
      checkWanted(output, lease);
      throw e;
    }
  }

  /** Stops a write that is no longer wanted, or whose room others are to get. */
  private void checkWanted(CommittedOutput output, Lease lease) throws IOException {
    state.whileLocked(
        () -> {
          if (state.outputs.find(output.id()) != output) {
            throw new IOException(output.id() + " has gone while it was written elsewhere");
          }
          if (lease.isClosed()) {
            throw new StoreFullException("the copy of " + output.id() + " gave way to others");
          }
        });
  }

  /** From here on a copy keeps its room: it is announced, and others may look at it. */
  private void endGivingWay(CommittedOutput output, Lease lease) throws IOException {
    state.whileLocked(
        () -> {
          checkWanted(output, lease);
          if (state.copying == lease) {
            state.copying = null;
          }
        });
  }

  private ExtentTable leaseForMove(Lease lease, OutputCopy copy) throws IOException {
    return eviction.leaseOnDisk(copy.lengthBytes(), () -> leaseOnDisk(lease, copy, false));
  }

  /** A copy has its room for as long as nobody else lacks it. */
  private ExtentTable leaseForCopy(CommittedOutput output, Lease lease, OutputCopy copy)
      throws IOException {
    try {
      return leaseOnDisk(lease, copy, true);
    } catch (IOException e) {
      checkWanted(output, lease);
      throw e;
    }
  }

  private ExtentTable leaseOnDisk(Lease lease, OutputCopy copy, boolean givesWay)
      throws IOException {
    DiskSpace.Outcome outcome =
        new DiskSpace.Outcome() {
          @Override
          public void granted(List<Extent> extents) {
            extents.forEach(extent -> lease.held().add(extent.range()));
          }

          @Override
          public String refused(long shortBytes) {
            return state.allocator.full(
                copy.lengthBytes(), shortBytes, state.leased, ", which it is to leave");
          }
        };
    DiskSpace.Request request =
        state.locked(
            () -> {
              state.checkUsable(lease);
              if (givesWay) {
                state
                    .allocator
                    .heap()
                    .checkCopy(lease.owner(), () -> state.leased.isServingOthers(lease.owner()));
              }
              DiskSpace.Request reserved =
                  state.diskSpace.reserve(lease, copy.lengthBytes(), outcome);
              if (givesWay) {
                state.copying = lease;
              }
              return reserved;
            });
    return copy.lay(state.diskSpace.make(request));
  }

  /**
   * The writes of one thread to the disk tier, with {@link Device#UNITS_UNDER_WAY} units under way.
   * A thread that waits for each unit before it makes the next gets half of a device that others
   * want too, however urgent it is.
   *
   * <p>Thread contract: one thread. The thread may wait for a buffer while units of its own are
   * under way. Their buffers are the device's until they are done, so no two threads wait for each
   * other. Ownership: the caller that opens it closes it, which waits for the units under way.
   * Failure: the first one of a unit, at the latest from {@link #await}, after {@code onFailure}
   * was told of its segment; or {@link io.sluice.spill.disk.BufferSet.NoBufferException}, and
   * {@code onFailure} is not told.
   */
  static final class InFlightWrites implements AutoCloseable {
    private final BiConsumer<DiskSegment, IOException> onFailure;
    private final Deque<Unit> units = new ArrayDeque<>(); // oldest first

    private record Unit(DiskSegment segment, DeviceFile.Write write) {}

    InFlightWrites(BiConsumer<DiskSegment, IOException> onFailure) {
      this.onFailure = onFailure;
    }

    /** Begins to write all that remains in a buffer to a file of the disk tier. */
    void write(DiskSegment segment, IoClass ioClass, long offsetBytes, ByteBuffer bytes)
        throws IOException {
      for (long atBytes = offsetBytes; bytes.hasRemaining(); ) {
        int unitBytes = Math.min(bytes.remaining(), Device.UNIT_BYTES);
        awaitAllBut(
            ioClass == IoClass.COPY ? 0 : Device.UNITS_UNDER_WAY - 1); // for copies nobody waits
        begin(segment, ioClass, atBytes, bytes.slice(bytes.position(), unitBytes));
        bytes.position(bytes.position() + unitBytes);
        atBytes += unitBytes;
      }
    }

    /**
     * The device is asked for nothing until it has the bytes: what fails here is not its failure.
     */
    private void begin(DiskSegment segment, IoClass ioClass, long offsetBytes, ByteBuffer bytes)
        throws IOException {
      try (DeviceFile.Write write = segment.beginWrite(ioClass, offsetBytes, bytes.remaining())) {
        write.bytes().put(bytes);
        units.add(new Unit(segment, write)); // first: nothing that has begun may be forgotten
        try {
          write.begin();
        } catch (RuntimeException | Error e) {
          units.removeLast();
          throw e;
        }
      }
    }

    /** Returns when everything is written. */
    void await() throws IOException {
      awaitAllBut(0);
    }

    private void awaitAllBut(int count) throws IOException {
      while (units.size() > count) {
        Unit unit = units.remove();
        try {
          unit.write().await();
        } catch (IOException e) {
          onFailure.accept(unit.segment(), e);
          throw e;
        }
      }
    }

    /**
     * Waits for the units still under way; the caller has failed before, so their failures are
     * dropped.
     */
    @Override
    public void close() {
      while (!units.isEmpty()) {
        try {
          await();
        } catch (IOException e) {
          continue; // its segment was told
        }
      }
    }
  }
}
