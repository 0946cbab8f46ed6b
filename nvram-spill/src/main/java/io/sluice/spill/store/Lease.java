package io.sluice.spill.store;

import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.spill.disk.Device;
import io.sluice.spill.disk.DeviceFile;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.MemorySource.MemoryUse;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The blocks that one task holds of the store and has not committed.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that opened it closes it, but
 * only when the task can no longer write, because its blocks go to others at once. Failure: after
 * its application was freed it grants and commits nothing more.
 */
public final class Lease implements MemorySource, Closeable {
  private final LeaseOperations operations;
  private final CommitOperations commits;
  private final String applicationId;
  private final Owner owner;
  private final IoClass ioClass;
  private final LeaseInfo info;
  private final Map<MemoryUse, BlockSet> held = new EnumMap<>(MemoryUse.class);
  private boolean closed;
  private boolean revoked;

  /**
   * Nothing is leased yet.
   *
   * @param changes is told what is leased, and no more
   */
  Lease(
      LeaseOperations operations,
      CommitOperations commits,
      String applicationId,
      Owner owner,
      IoClass ioClass,
      LeaseInfo info,
      BlockSet.Changes changes) {
    this.operations = operations;
    this.commits = commits;
    this.applicationId = applicationId;
    this.owner = owner;
    this.ioClass = ioClass;
    this.info = info;
    for (MemoryUse use : MemoryUse.values()) {
      held.put(use, new BlockSet(info.blockBytes(), changes));
    }
  }

  /** The application that it is for. */
  public String applicationId() {
    return applicationId;
  }

  /** The user of the task; the lease is granted blocks of this user's segments alone. */
  public Owner owner() {
    return owner;
  }

  /** The class in which it writes to the disk tier. */
  IoClass ioClass() {
    return ioClass;
  }

  @Override
  public LeaseInfo info() {
    return info;
  }

  @Override
  public SegmentOpener opener() {
    return SegmentOpener.BY_NAME;
  }

  @Override
  public List<Extent> lease(long lengthBytes) throws IOException {
    return operations.lease(this, lengthBytes, false);
  }

  /**
   * Checks this for a task that is about to lease so much in several steps.
   *
   * @throws StoreFullException if it would not fit though everybody gave back what can be
   */
  public void checkCanEverFit(long lengthBytes) throws IOException {
    operations.checkCanEverFit(this, lengthBytes);
  }

  @Override
  public Extent leaseContiguous(long lengthBytes) throws IOException {
    return operations.lease(this, lengthBytes, true).get(0);
  }

  @Override
  public Optional<Extent> leaseMemory(MemoryUse use, long lengthBytes) throws IOException {
    return operations.leaseMemory(this, use, lengthBytes);
  }

  @Override
  public List<Extent> leaseDisk(long lengthBytes) throws IOException {
    return operations.leaseDisk(this, lengthBytes);
  }

  @Override
  public void write(Extent extent, long offsetBytes, ByteBuffer bytes) throws IOException {
    int segmentId = extent.segment().segmentId();
    long atBytes = extent.offsetBytes() + offsetBytes;
    while (bytes.hasRemaining()) {
      int unitBytes = Math.min(bytes.remaining(), Device.UNIT_BYTES);
      try (DiskWrite write = beginWrite(new Range(segmentId, atBytes, unitBytes))) {
        write.bytes().put(bytes.slice(bytes.position(), unitBytes));
        write.run();
      }
      bytes.position(bytes.position() + unitBytes);
      atBytes += unitBytes;
    }
  }

  /** Memory for what is to be written to a leased range, of {@link Device#UNIT_BYTES} at most. */
  public DiskWrite beginWrite(Range range) throws IOException {
    return operations.beginWrite(this, range);
  }

  @Override
  public void force(Extent extent) throws IOException {
    force(extent.segment().segmentId(), extent.offsetBytes());
  }

  /** The same of an extent that begins there; what is behind may have been given back. */
  public void force(int segmentId, long offsetBytes) throws IOException {
    operations.force(this, new Range(segmentId, offsetBytes, 1));
  }

  @Override
  public void release(List<Extent> extents) throws IOException {
    operations.release(this, extents);
  }

  @Override
  public void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
    commits.commit(this, stamp, trailer, false);
  }

  /**
   * Commits, and frees in the same moment the output that was committed with that id before: a
   * reader finds one of them, whole. If the medium fails in between, neither is left.
   */
  public void replace(OutputStamp stamp, FooterLocation trailer) throws IOException {
    commits.commit(this, stamp, trailer, true);
  }

  /** Gives back everything that is not committed; idempotent. */
  @Override
  public void close() throws IOException {
    operations.close(this);
  }

  /** Blocks leased to write to and not committed; guarded by the lock of the store. */
  BlockSet held() {
    return held(MemoryUse.WRITING);
  }

  /** Blocks leased for that; guarded by the lock of the store. */
  BlockSet held(MemoryUse use) {
    return held.get(use);
  }

  /** Bytes of all of these blocks in a tier; guarded by the lock of the store. */
  long heldBytes(Tier tier) {
    return held.values().stream().mapToLong(blocks -> blocks.bytesOf(tier)).sum();
  }

  void checkUsable() throws IOException {
    if (closed) {
      throw new IOException("the lease of " + applicationId + " is closed");
    }
    if (revoked) {
      throw new IOException(applicationId + " has been stopped and its spill space was freed");
    }
  }

  /** The application is gone. */
  void revoke() {
    revoked = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** Marks it closed; false if it was. */
  boolean markClosed() {
    boolean wasOpen = !closed;
    closed = true;
    return wasOpen;
  }

  /**
   * Bytes on their way to a leased range of the disk tier: the caller fills the memory, then
   * writes.
   *
   * <p>Thread contract: one thread. Ownership: the caller that begins it closes it, soon, because
   * others wait for the memory. Failure: {@link IOException}; its directory is then left out for a
   * while.
   */
  public static final class DiskWrite implements LentBytes {
    private final DeviceFile.Write write;
    private final Consumer<IOException> onFailure;

    DiskWrite(DeviceFile.Write write, Consumer<IOException> onFailure) {
      this.write = write;
      this.onFailure = onFailure;
    }

    @Override
    public ByteBuffer bytes() {
      return write.bytes();
    }

    /** How long the caller may take to fill it. */
    public long fillTimeoutMs() {
      return write.fillTimeoutMs();
    }

    /** Returns when all of it is where it belongs. */
    public void run() throws IOException {
      try {
        write.run();
      } catch (IOException e) {
        onFailure.accept(e);
        throw e;
      }
    }

    @Override
    public void close() {
      write.close();
    }
  }
}
