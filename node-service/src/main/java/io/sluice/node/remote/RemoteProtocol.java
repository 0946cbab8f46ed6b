package io.sluice.node.remote;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.Segments;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.Run;
import io.sluice.spill.format.Run.RawLengths;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The messages between a reader and a node service, in {@code io.sluice.node.wire.Frames}.
 *
 * <pre>
 * service  CHALLENGE  int32 magic, versions that it speaks, bytes server nonce
 * reader   PROOF      uint16 version, the highest of both sides; versions that the reader speaks,
 *                     string application, bytes client nonce, bytes proof
 * service  OK         bytes proof, int64 + int64 pool id, int32 count, then per offer
 *                       string transport, string host, int32 port, int32 bounce slot bytes
 *
 * reader   DESCRIBE   int32 first partition, int32 the one behind the last,
 *                     int32 up to which length the bytes of a run may come along,
 *                     int32 count, then per output: string output id
 * service  OK         int32 count, then per segment
 *                       as {@code io.sluice.node.wire.Segments} has it,
 *                       int32 count, then per transport: string name, bytes region descriptor
 *                     int32 count, then per output held
 *                       string output id,
 *                       int64 generation of the place that all of its runs below lie in; 0 if none,
 *                       int32 count, then per run, those of a partition by their ordinals
 *                         int32 partition, int32 ordinal, int64 length,
 *                         int64 raw lengths, see {@link RawLengths},
 *                         int64 records,
 *                         int32 CRC-32C per block of 32 KiB, at least one,
 *                         int32 count, then per range: int32 segment id, int64 offset, int64 length
 *                         bytes of the run; or none, and it has to be read
 *
 * reader   VERIFY     int32 partition, string output id
 * service  OK         int8 1 if the partition is damaged where it lies, and described no more
 *
 * reader   ADMIT      string transport, int32 count, then per address that it may come from:
 *                     bytes address
 * service  OK         int64 + int64 ticket for one data connection; or BUSY
 *
 * reader   BOUNCE     string transport, string output id, int32 partition, int32 ordinal,
 *                     int64 offset in the run, int32 length, int32 wait in ms
 * service  OK         int64 ticket, bytes region descriptor, int64 offset in the region
 *
 * reader   RELEASE    int64 ticket      (has no answer; a wrong ticket ends the conversation)
 *
 * reader   FREE       string prefix of output ids; empty: the application has ended
 * service  OK
 *
 * reader   FREE_OUTPUT  string output id
 * service  OK
 *
 * reader   FREE_BELOW  string prefix of output ids, int64 end: those whose rest is a number below it
 * service  OK
 *
 * instead of PROOF, and only there:
 * reader   PROBE      uint16 version, the highest of both sides
 * service  OK         int32 count, then per transport
 *                       string transport, string host, int32 port, int32 bounce slot bytes,
 *                       bytes region descriptor of the public pattern, or none
 *                     and the conversation is over
 * </pre>
 *
 * Versions are as {@code io.sluice.node.wire.Versions} has them. The service accepts any version
 * that it speaks; what is said about them is part of the proofs, which are those of {@code
 * JobSecret}. A region descriptor authorises reads as an RDMA rkey does, so it is only ever sent
 * after the reader's proof; but for that of {@code ProbePattern}, which is no secret.
 */
final class RemoteProtocol {
  static final int MAGIC = 0x534c4345;

  /** The oldest version that is still spoken; the next number leaves it as it is. */
  static final int OLDEST = 14;

  static final int VERSION = 14;
  static final Versions VERSIONS = new Versions(OLDEST, VERSION);

  static final int CHALLENGE = 1;
  static final int PROOF = 2;
  static final int DESCRIBE = 3;
  static final int BOUNCE = 4;
  static final int RELEASE = 5;
  static final int FREE = 6;
  static final int ADMIT = 8;
  static final int FREE_OUTPUT = 7;
  static final int FREE_BELOW = 9;
  static final int VERIFY = 10;
  static final int PROBE = 16;

  static final int MAX_PROOF_BYTES = 64;
  static final int MAX_OFFERS = 16;
  static final int MAX_ADDRESSES = 64;
  static final int MAX_ADDRESS_BYTES = 16;
  static final int MAX_OUTPUTS = 10_000;

  /**
   * Outputs that a reader asks for at once, one partition of each. Fewer if the answer is too long.
   */
  static final int OUTPUTS_PER_REQUEST = 500;

  /**
   * Longest request that is read. A reader's longest is half of that: {@link #OUTPUTS_PER_REQUEST}
   * of the longest ids.
   */
  static final int MAX_REQUEST_BYTES = 256 << 10;

  private static final int MAX_SEGMENTS = 1 << 20;
  private static final int MAX_RUNS = 1 << 20;
  static final int MAX_DESCRIPTOR_BYTES = RegionDescriptor.MAX_PROVIDER_DATA_BYTES + 64;

  private static final byte[] NOT_INLINED = {};

  private RemoteProtocol() {}

  /** The first message of a service: the versions that it speaks, and its nonce. */
  record Challenge(Versions versions, byte[] serverNonce) {}

  /**
   * The reader's side of the greeting.
   *
   * @param own versions that the reader speaks
   * @throws ProtocolException if it is no Sluice node service, or one that speaks none of these
   */
  static Challenge receiveChallenge(Frames frames, Versions own, long timeoutMs)
      throws IOException {
    Frames.Frame challenge = frames.receiveHello(timeoutMs);
    int magic = challenge.type() == CHALLENGE ? challenge.in().readInt() : 0;
    if (magic != MAGIC) {
      throw new ProtocolException(frames.peer() + " is not a Sluice node service");
    }
    Versions versions =
        own.readOf(challenge.in(), "node service at " + frames.peer(), "this program");
    return new Challenge(versions, Bounded.readBytes(challenge.in(), JobSecret.NONCE_BYTES));
  }

  static void writeOffer(DataOutputStream out, TransportOffer offer) throws IOException {
    Bounded.writeString(out, offer.transport());
    Bounded.writeString(out, offer.host());
    out.writeInt(offer.port());
    out.writeInt(offer.slotBytes());
  }

  static TransportOffer readOffer(DataInputStream in) throws IOException {
    return new TransportOffer(
        Bounded.readString(in), Bounded.readString(in), in.readInt(), in.readInt());
  }

  static void writeDescription(DataOutputStream out, OutputLocations description, PoolPaths places)
      throws IOException {
    writeSegments(out, description.segments(), places);
    out.writeInt(description.runs().size());
    for (Map.Entry<String, List<LocatedRun>> output : description.runs().entrySet()) {
      List<LocatedRun> runs = output.getValue();
      writeOutput(out, output.getKey(), runs.isEmpty() ? 0 : runs.get(0).location().generation());
      out.writeInt(runs.size());
      for (LocatedRun located : runs) {
        writeRun(out, located.run());
        writeRanges(out, located.location().ranges());
        byte[] inlined = description.inlined().get(located);
        if (inlined == null) {
          writeNotInlined(out);
        } else {
          Bounded.writeBytes(out, inlined);
        }
      }
    }
  }

  static void writeSegments(
      DataOutputStream out, Map<Integer, SegmentLocation> segments, PoolPaths places)
      throws IOException {
    out.writeInt(segments.size());
    for (SegmentLocation location : segments.values()) {
      writeSegment(out, location, places);
    }
  }

  static void writeOutput(DataOutputStream out, String outputId, long generation)
      throws IOException {
    Bounded.writeString(out, outputId);
    out.writeLong(generation);
  }

  static void writeNotInlined(DataOutputStream out) throws IOException {
    Bounded.writeBytes(out, NOT_INLINED);
  }

  /** {@code poolId} and {@code places} are those of the pool that is described. */
  static OutputLocations readDescription(
      DataInputStream in, PartitionRange partitions, UUID poolId, PoolPaths places)
      throws IOException {
    try {
      return readChecked(in, partitions, poolId, places);
    } catch (EOFException | IllegalArgumentException e) {
      ProtocolException failure = new ProtocolException("impossible description of outputs: " + e);
      failure.initCause(e);
      throw failure;
    }
  }

  private static OutputLocations readChecked(
      DataInputStream in, PartitionRange partitions, UUID poolId, PoolPaths places)
      throws IOException {
    Map<Integer, SegmentLocation> segments = new HashMap<>();
    int segmentCount = Bounded.readCount(in, MAX_SEGMENTS, "segments");
    for (int i = 0; i < segmentCount; i++) {
      SegmentLocation location = readSegment(in, places);
      segments.put(location.segment().segmentId(), location);
    }
    Map<String, List<LocatedRun>> runs = new HashMap<>();
    IdentityHashMap<LocatedRun, byte[]> inlined = new IdentityHashMap<>();
    int outputCount = Bounded.readCount(in, MAX_OUTPUTS, "outputs");
    for (int i = 0; i < outputCount; i++) {
      String outputId = Bounded.readString(in);
      runs.put(outputId, readRuns(in, partitions, poolId, inlined));
    }
    return new OutputLocations(segments, runs, inlined, Map.of());
  }

  /** The runs of one output; puts bytes that came along into {@code inlined}. */
  private static List<LocatedRun> readRuns(
      DataInputStream in,
      PartitionRange partitions,
      UUID poolId,
      IdentityHashMap<LocatedRun, byte[]> inlined)
      throws IOException {
    long generation = in.readLong();
    if (generation < 0) {
      throw new ProtocolException("an output of generation " + generation);
    }
    int runCount = Bounded.readCount(in, MAX_RUNS, "runs");
    List<LocatedRun> runs = new ArrayList<>();
    Run previous = null;
    for (int i = 0; i < runCount; i++) {
      Run run = readRun(in, partitions);
      checkOrder(previous, run);
      previous = run;
      List<Range> ranges = readRanges(in, run.lengthBytes());
      LocatedRun located = new LocatedRun(run, new RunLocation(poolId, generation, ranges));
      runs.add(located);
      byte[] bytes = Bounded.readBytes(in, OutputLocations.MAX_INLINED_RUN_BYTES);
      if (bytes.length > 0) {
        requireWhole(bytes, run);
        inlined.put(located, bytes);
      }
    }
    return runs;
  }

  private static void requireWhole(byte[] bytes, Run run) throws ProtocolException {
    if (bytes.length != run.lengthBytes()) {
      throw new ProtocolException(
          bytes.length + " bytes came along of a run of " + run.lengthBytes());
    }
  }

  /** A reader names a run by its ordinal, and takes those of a partition for all that it has. */
  private static void checkOrder(Run previous, Run run) throws ProtocolException {
    boolean follows = previous != null && previous.partition() == run.partition();
    int expected = follows ? previous.ordinal() + 1 : 0;
    boolean backwards = previous != null && run.partition() < previous.partition();
    if (backwards || run.ordinal() != expected) {
      throw new ProtocolException("run " + run + " is described behind " + previous);
    }
  }

  private static void writeSegment(DataOutputStream out, SegmentLocation location, PoolPaths places)
      throws IOException {
    Segments.write(out, location.segment(), places);
    out.writeInt(location.regions().size());
    for (Map.Entry<String, RegionDescriptor> region : location.regions().entrySet()) {
      Bounded.writeString(out, region.getKey());
      Bounded.writeBytes(out, region.getValue().encode());
    }
  }

  private static SegmentLocation readSegment(DataInputStream in, PoolPaths places)
      throws IOException {
    SegmentInfo segment = Segments.read(in, places);
    Map<String, RegionDescriptor> regions = new HashMap<>();
    int regionCount = Bounded.readCount(in, MAX_OFFERS, "transports");
    for (int i = 0; i < regionCount; i++) {
      String transport = Bounded.readString(in);
      byte[] descriptor = Bounded.readBytes(in, MAX_DESCRIPTOR_BYTES);
      regions.put(transport, RegionDescriptor.decode(ByteBuffer.wrap(descriptor)));
    }
    return new SegmentLocation(segment, regions);
  }

  private static void writeRun(DataOutputStream out, Run run) throws IOException {
    writeRun(
        out,
        run.partition(),
        run.ordinal(),
        run.lengthBytes(),
        RawLengths.pack(run.rawLengthBytes(), run.chunkBytes()),
        run.records());
    for (int block = 0; block <= run.checksums().furtherCount(); block++) {
      out.writeInt(run.checksums().crc32c(block));
    }
  }

  static void writeRun(
      DataOutputStream out,
      int partition,
      int ordinal,
      long lengthBytes,
      long rawLengths,
      long records)
      throws IOException {
    out.writeInt(partition);
    out.writeInt(ordinal);
    out.writeLong(lengthBytes);
    out.writeLong(rawLengths);
    out.writeLong(records);
  }

  static void writeRanges(DataOutputStream out, List<Range> ranges) throws IOException {
    out.writeInt(ranges.size());
    for (Range range : ranges) {
      out.writeInt(range.segmentId());
      out.writeLong(range.offsetBytes());
      out.writeLong(range.lengthBytes());
    }
  }

  private static Run readRun(DataInputStream in, PartitionRange partitions) throws IOException {
    int partition = in.readInt();
    if (!partitions.contains(partition)) {
      throw new ProtocolException("a run of partition " + partition + ", asked for " + partitions);
    }
    int ordinal = in.readInt();
    long lengthBytes = in.readLong();
    long rawLengths = in.readLong();
    if (!RawLengths.areValid(rawLengths)) {
      throw new ProtocolException("a run of the raw lengths " + Long.toHexString(rawLengths));
    }
    long records = in.readLong();
    BlockChecksums checksums = readChecksums(in, lengthBytes);
    return new Run(
        partition,
        ordinal,
        lengthBytes,
        RawLengths.runBytes(rawLengths),
        RawLengths.chunkBytes(rawLengths),
        records,
        checksums);
  }

  private static List<Range> readRanges(DataInputStream in, long lengthBytes) throws IOException {
    int rangeCount = Bounded.readCount(in, MAX_SEGMENTS, "ranges");
    List<Range> ranges = new ArrayList<>();
    long leftBytes = lengthBytes;
    for (int i = 0; i < rangeCount; i++) {
      Range range = new Range(in.readInt(), in.readLong(), in.readLong());
      ranges.add(range);
      leftBytes -= range.lengthBytes();
      if (leftBytes < 0) {
        break; // before the sum overflows
      }
    }
    if (lengthBytes < 0 || leftBytes != 0) {
      throw new ProtocolException("a run of " + lengthBytes + " bytes lies in " + ranges);
    }
    return List.copyOf(ranges); // a reader may keep a million of them
  }

  private static BlockChecksums readChecksums(DataInputStream in, long lengthBytes)
      throws IOException {
    int first = in.readInt();
    long furtherCount = BlockChecksums.furtherBlocks(lengthBytes);
    if (furtherCount > in.available() / Integer.BYTES) {
      throw new ProtocolException("a run of " + lengthBytes + " bytes lacks checksums");
    }
    int[] further = new int[(int) furtherCount];
    for (int i = 0; i < further.length; i++) {
      further[i] = in.readInt();
    }
    return BlockChecksums.of(first, further);
  }
}
