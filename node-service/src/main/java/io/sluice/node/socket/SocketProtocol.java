package io.sluice.node.socket;

import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Segments;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.unix.UnixSocket;
import io.sluice.spill.ledger.Holding.HolderRole;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.MemorySource.MemoryUse;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The messages between a task and the service of its node, in {@code io.sluice.node.wire.Frames}.
 *
 * <pre>
 * HELLO             versions that the task speaks, string application, bytes secret, int8 access,
 *                   string task, int8 role, int64 length of a sort buffer of its own
 *                     -> OK uint16 version, the highest of both sides,
 *                        int64 + int64 pool id, int32 block size, int64 generation,
 *                        int64 instance (of the service, new with every start), then, of access
 *                          0 names: int32 count, then per directory of the pool: string path
 *                          1 descriptors: int8 1 if the lease has a record   + record, if so
 * LEASE             int64 length, of 1 GiB at most                 -> OK extents, files
 *                                         of more -> FULL if it can never fit, else TOO_MUCH
 * LEASE_CONTIGUOUS  int64 length, of 1 GiB at most                 -> OK extents (one), files
 * WRITE             int32 segment, int64 offset, int32 length, all inside of what is leased on the
 *                   disk tier; behind the message so many bytes    -> OK, when they are there
 * FORCE             int32 segment, int64 offset of a leased extent -> OK, when the medium has it
 * LEASE_MEMORY      int8 use, int64 length                         -> OK extents (one, or none), files
 * LEASE_DISK        int64 length, of 1 GiB at most                 -> OK extents, no files
 * RELEASE           extents, up to 200                             -> OK
 * COMMIT            string output id, int64 generation of its writer, int32 CRC32C of its identity,
 *                   int32 segment, int64 trailer                   -> OK, also if that output is
 *                                                                     committed, wherever it lies
 * OPEN              int8 1 for writing, int32 segment, int32 incarnation
 *                     -> OK int8 1 if there is such a segment        + that segment, if so
 *
 * LISTEN            versions that the task speaks, string application, bytes secret,
 *                   int64 generation of a lease of the same user; instead of HELLO, on a
 *                   connection of its own       -> OK uint16 version, the highest of both sides
 * AWAIT             int64 epoch of the last notice that came, int32 milliseconds; only then
 *                     -> OK int64 epoch, int64 most of its sort buffer that it may keep,
 *                        int64 most of what it receives into: the last notice there is,
 *                        when there is a later one, and when that time has passed
 *
 * extents: int32 count, then per extent
 *   segment as {@code io.sluice.node.wire.Segments} has it, int64 offset, int64 length
 *
 * files: int8 count, then per file int32 segment     + that segment, open for writing
 * </pre>
 *
 * Versions are as {@code io.sluice.node.wire.Versions} has them; HELLO and LISTEN are the same in
 * all, but for what a later one adds to their ends. A task's messages are no longer than {@code
 * Frames.MAX_SHORT_BYTES}: each may cost the service as much heap, for each connection, for as long
 * as the task takes to send it. A plus stands before descriptors that come with the answer, in that
 * order. With names a task takes the lock on the lease's record ({@link LeaseLock}) before the
 * first LEASE, and is sent no descriptor. With descriptors the service has locked the record whose
 * descriptor it sends, and a segment comes with the first lease in it. OPEN is for segments that
 * did not come, and for readers, which get them open for reading. A task gets a segment for writing
 * only if it was granted an extent in it, and none of the disk tier, which the service alone
 * writes. The use of {@code LEASE_MEMORY} is a {@link MemoryUse}, a role a {@link HolderRole}. A
 * task listens on a thread of its own; the service answers while the lease is open, and then ends
 * that connection. The peer's user comes from the socket, not from a message. Everything leased
 * over a connection and not committed is free again when the connection ends, however the task
 * ended.
 */
final class SocketProtocol {
  /** The oldest version that is still spoken; the next number leaves it as it is. */
  static final int OLDEST = 15;

  static final int VERSION = 15;
  static final Versions VERSIONS = new Versions(OLDEST, VERSION);

  /** Both sides, for messages about versions. */
  static final String SERVICE = "this node's service";

  static final String TASK = "this task";

  static final int HELLO = 1;
  static final int LEASE = 2;
  static final int LEASE_CONTIGUOUS = 3;
  static final int RELEASE = 4;
  static final int COMMIT = 5;
  static final int OPEN = 6;
  static final int WRITE = 7;
  static final int FORCE = 8;
  static final int LEASE_MEMORY = 9;
  static final int LISTEN = 10;
  static final int AWAIT = 11;
  static final int LEASE_DISK = 12;

  /** Most that one message may ask for. */
  static final long MAX_LEASE_BYTES = Extent.MAX_LENGTH_BYTES;

  /** Longest time that a listener is not answered. */
  static final int MAX_AWAIT_MS = 10_000;

  /** Files that come with one answer. */
  static final int MAX_FILES = UnixSocket.MAX_DESCRIPTORS;

  /** Extents in one request, which is short as all requests are. */
  static final int MAX_RELEASED = 200;

  /** Extents in one answer. */
  private static final int MAX_EXTENTS = 100_000;

  private SocketProtocol() {}

  static void writeInfo(DataOutputStream out, LeaseInfo info) throws IOException {
    out.writeLong(info.poolId().getMostSignificantBits());
    out.writeLong(info.poolId().getLeastSignificantBits());
    out.writeInt(info.blockBytes());
    out.writeLong(info.generation());
  }

  static LeaseInfo readInfo(DataInputStream in) throws IOException {
    return new LeaseInfo(new UUID(in.readLong(), in.readLong()), in.readInt(), in.readLong());
  }

  static void writeAccess(DataOutputStream out, SegmentAccess access) throws IOException {
    out.writeByte(access.ordinal());
  }

  static SegmentAccess readAccess(DataInputStream in) throws IOException {
    SegmentAccess[] all = SegmentAccess.values();
    return all[Bounded.readByteBelow(in, all.length, "ways of access")];
  }

  static void writeBorrower(DataOutputStream out, Borrower borrower) throws IOException {
    Bounded.writeString(out, borrower.task());
    out.writeByte(borrower.role().ordinal());
    out.writeLong(borrower.sortBytes());
  }

  static Borrower readBorrower(DataInputStream in) throws IOException {
    HolderRole[] roles = HolderRole.values();
    return new Borrower(
        Bounded.readString(in),
        roles[Bounded.readByteBelow(in, roles.length, "roles")],
        in.readLong());
  }

  static void writeNotice(DataOutputStream out, RevocationNotice notice) throws IOException {
    out.writeLong(notice.epoch());
    out.writeLong(notice.sortBytes());
    out.writeLong(notice.receiveBytes());
  }

  static RevocationNotice readNotice(DataInputStream in) throws IOException {
    return new RevocationNotice(in.readLong(), in.readLong(), in.readLong());
  }

  static MemoryUse readUse(DataInputStream in) throws IOException {
    MemoryUse[] all = MemoryUse.values();
    return all[Bounded.readByteBelow(in, all.length, "uses of memory")];
  }

  static void writePaths(DataOutputStream out, PoolPaths places) throws IOException {
    out.writeInt(places.all().size());
    for (Path place : places.all()) {
      Bounded.writeString(out, place.toString());
    }
  }

  /** Those of a peer that was found to be of this user. */
  static PoolPaths readPaths(DataInputStream in, UUID poolId) throws IOException {
    int count = Bounded.readCount(in, Segments.MAX_DIRECTORIES, "directories");
    List<Path> places = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      places.add(Path.of(Bounded.readString(in)));
    }
    return PoolPaths.announced(poolId, places);
  }

  static void writeExtents(DataOutputStream out, List<Extent> extents, PoolPaths places)
      throws IOException {
    out.writeInt(extents.size());
    for (Extent extent : extents) {
      Segments.write(out, extent.segment(), places);
      out.writeLong(extent.offsetBytes());
      out.writeLong(extent.lengthBytes());
    }
  }

  static void writeFiles(DataOutputStream out, List<Integer> segmentIds) throws IOException {
    out.writeByte(segmentIds.size());
    for (int segmentId : segmentIds) {
      out.writeInt(segmentId);
    }
  }

  static List<Integer> readFiles(DataInputStream in) throws IOException {
    int count = Bounded.readByteBelow(in, MAX_FILES + 1, "files");
    List<Integer> segmentIds = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      segmentIds.add(in.readInt());
    }
    return segmentIds;
  }

  static List<Extent> readExtents(DataInputStream in, PoolPaths places) throws IOException {
    int count = Bounded.readCount(in, MAX_EXTENTS, "extents");
    List<Extent> extents = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      extents.add(new Extent(Segments.read(in, places), in.readLong(), in.readLong()));
    }
    return extents;
  }
}
